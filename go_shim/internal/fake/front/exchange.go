package front

import (
	"slices"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/backend"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/rules"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// exchange is one request from its decision to its response.
type exchange struct {
	conn     *conn
	req      kmsg.Request
	clientID string
	call     *rules.Call
	held     map[string]bool
}

// act carries out a Forward decision. It returns another decision in place of a response if the rules decided
// differently while the request waited.
func (x *exchange) act(decision rules.Decision) (kmsg.Response, *rules.Decision, error) {
	if x.conn.front.release.Disabled(x.call.API) {
		resp, err := wire.Shape(x.req, unsupportedVersion)
		return resp, nil, err
	}
	switch req := x.req.(type) {
	case *kmsg.ProduceRequest:
		codes, err := x.fence(req, decision.Codes)
		if err != nil {
			return nil, nil, err
		}
		resp, err := x.produce(req, codes)
		return resp, nil, err
	case *kmsg.FetchRequest:
		return x.fetch(req, decision)
	case *kmsg.AddPartitionsToTxnRequest:
		if req.Version >= batchedPartitions && len(req.Transactions) == 1 {
			return x.addPartitions(req, decision)
		}
	case *kmsg.InitProducerIDRequest:
		if decision.Plain() {
			if resp, err := x.identify(req); resp != nil || err != nil {
				return resp, nil, err
			}
		}
	case *kmsg.ShareFetchRequest, *kmsg.ShareAcknowledgeRequest:
		resp, err := x.share(decision.Codes)
		return resp, nil, err
	case *kmsg.ListOffsetsRequest, *kmsg.OffsetForLeaderEpochRequest:
		resp, err := x.split(x.req, decision.Codes)
		return resp, nil, err
	case *kmsg.FindCoordinatorRequest:
		return x.conn.front.findCoordinator(req, x.conn.broker, decision.Codes), nil, nil
	}
	if x.call.Objects != nil && x.call.Objects[0].Keyed {
		return x.keyed(decision)
	}
	resp, err := x.unkeyed(decision.Codes)
	return resp, nil, err
}

// unkeyed serves requests without a partition or key.
func (x *exchange) unkeyed(codes wire.Codes) (kmsg.Response, error) {
	if len(codes) == 0 {
		switch req := x.req.(type) {
		case *kmsg.CreateTopicsRequest:
			return x.createTopics(req)
		case *kmsg.CreatePartitionsRequest:
			return x.createPartitions(req)
		}
	}
	return x.plain(x.req, codes)
}

// ask sends a request to a node of the state machine over this connection's own pipe.
func (x *exchange) ask(node int32, req kmsg.Request) (kmsg.Response, error) {
	resp, _, err := x.await(node, req, nil)
	return resp, err
}

type reply struct {
	resp kmsg.Response
	err  error
}

// await waits for the state machine, for the client to leave, or, with `woken`, for a decision that ends the wait. The
// pipe of an ended wait is closed with its pending request.
func (x *exchange) await(node int32, req kmsg.Request, woken func() *rules.Decision) (kmsg.Response, *rules.Decision, error) {
	pipe, err := x.pipe(node)
	if err != nil {
		return nil, nil, err
	}
	if woken == nil { // a request of a client that left is executed, as by brokers: nothing else can end the wait
		resp, err := pipe.Ask(req)
		return resp, nil, err
	}
	replies := make(chan reply, 1)
	go func() {
		resp, err := pipe.Ask(req)
		replies <- reply{resp, err}
	}()
	for {
		changed := x.conn.front.waiting()
		if decision := woken(); decision != nil {
			x.drop(node)
			return nil, decision, nil
		}
		select {
		case r := <-replies:
			return r.resp, nil, r.err
		case <-changed:
		case <-x.conn.gone:
			x.drop(node)
			return nil, nil, errClosed
		}
	}
}

func (x *exchange) pipe(node int32) (*backend.Pipe, error) {
	if pipe := x.conn.pipes[node]; pipe != nil {
		return pipe, nil
	}
	pipe, err := x.conn.front.backend.Dial(node, x.conn.raw.RemoteAddr(), x.clientID)
	if err != nil {
		return nil, err
	}
	x.conn.pipes[node] = pipe
	return pipe, nil
}

func (x *exchange) drop(node int32) {
	x.conn.pipes[node].Close()
	delete(x.conn.pipes, node)
}

// keyed serves coordinator requests: the state machine's own node for the key executes them, whichever virtual broker
// coordinates it.
func (x *exchange) keyed(decision rules.Decision) (kmsg.Response, *rules.Decision, error) {
	front := x.conn.front
	if code, all := allFailed(decision.Codes, len(x.call.Objects)); all {
		if code == unknownMember {
			front.backend.Evict(x.req)
		}
		resp, err := wire.Shape(x.req, code)
		return resp, nil, err
	}
	if resp, err := x.refuse(); resp != nil || err != nil {
		return resp, nil, err
	}
	if resp, err := x.refuseMember(); resp != nil || err != nil {
		return resp, nil, err
	}
	var woken func() *rules.Decision
	if decision.Plain() && slices.Contains(parked, kmsg.Key(x.call.API)) {
		woken = func() *rules.Decision {
			if again := front.decide(x.call, x.held); !again.Plain() {
				return &again
			}
			return nil
		}
	}
	resp, again, err := x.await(front.backend.CoordinatorOf(x.call.Objects[0].Key), x.req, woken)
	if err != nil || again != nil {
		return nil, again, err
	}
	resp = front.edit(x.req, resp, x.conn.broker)
	if len(decision.Codes) > 0 {
		resp, err = wire.Overwrite(x.req, resp, decision.Codes)
	}
	return resp, nil, err
}

// parked are the APIs that wait in the state machine for other members.
var parked = []kmsg.Key{kmsg.JoinGroup, kmsg.SyncGroup}

// allFailed reports whether every key has a code and none is to be executed, and returns the first code.
func allFailed(codes wire.Codes, keys int) (int16, bool) {
	for i := range keys {
		if code, ok := codes[i]; !ok || code.Apply {
			return 0, false
		}
	}
	return codes[0].Code, true
}

// plain lets a request without a partition or key be executed, and writes codes into its response.
func (x *exchange) plain(req kmsg.Request, codes wire.Codes) (kmsg.Response, error) {
	front := x.conn.front
	metadata := kmsg.Key(x.call.API) == kmsg.Metadata
	code, coded := codes[0]
	if coded && !code.Apply && !metadata {
		return wire.Shape(req, code.Code)
	}
	resp, err := x.execute(req)
	if err != nil {
		return nil, err
	}
	resp = front.edit(req, resp, x.conn.broker)
	switch {
	case metadata:
		codeMetadata(resp.(*kmsg.MetadataResponse), x.call.Objects, codes)
	case coded:
		return wire.Shape(req, code.Code)
	}
	return resp, nil
}

// execute asks the front itself, else a node of the state machine.
func (x *exchange) execute(req kmsg.Request) (kmsg.Response, error) {
	front := x.conn.front
	if resp := front.own(req, x.conn.broker); resp != nil {
		return resp, nil
	}
	if !slices.Contains(forwarded, kmsg.Key(x.call.API)) {
		return x.ask(x.conn.broker, req)
	}
	resp, err := x.ask(backend.Controller, req)
	if err != nil {
		return nil, err
	}
	return resp, front.Resync()
}

// forwarded are the APIs that brokers forward to the controller, except those that the front answers.
var forwarded = []kmsg.Key{
	kmsg.CreateTopics, kmsg.DeleteTopics, kmsg.CreatePartitions, kmsg.AlterUserSCRAMCredentials, kmsg.UpdateFeatures,
}
