package front

import (
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/rules"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	// fetchPoll is the wait of a fetch in the state machine before the rules are asked again, where its response will
	// be lost.
	fetchPoll = 50 * time.Millisecond
	// unackedClose is the delay before a broker closes the connection after an error that acks=0 has no response for
	// (measured on 3.9.2).
	unackedClose = 23 * time.Millisecond
)

// split serves the rows without a code and adds the rows with one.
func (x *exchange) split(req kmsg.Request, codes wire.Codes) (kmsg.Response, error) {
	resp, _, err := x.splitUnless(req, codes, nil)
	return resp, err
}

// splitUnless is split with a wait that ends as await's does.
func (x *exchange) splitUnless(
	req kmsg.Request, codes wire.Codes, woken func() *rules.Decision,
) (kmsg.Response, *rules.Decision, error) {
	rest, left := wire.Cut(req, codes)
	resp := req.ResponseKind()
	if left > 0 || len(codes) == 0 {
		asked, again, err := x.await(x.conn.broker, rest, woken)
		if err != nil || again != nil {
			return nil, again, err
		}
		resp = asked
		x.conn.front.edit(req, resp, x.conn.broker)
	}
	wire.Add(resp, req, codes)
	x.conn.front.setHints(resp, x.conn.broker)
	return resp, nil, nil
}

// produce serves acks=0 as acks=1, and closes the connection on an error that has no response.
func (x *exchange) produce(req *kmsg.ProduceRequest, codes wire.Codes) (kmsg.Response, error) {
	asked := *req
	if req.Acks == 0 {
		asked.Acks = 1
	}
	resp, err := x.split(&asked, codes)
	if err != nil || req.Acks != 0 {
		return resp, err
	}
	if wire.ProduceFailed(resp.(*kmsg.ProduceResponse)) {
		select {
		case <-time.After(unackedClose):
		case <-x.conn.gone:
		}
		return nil, errClosed
	}
	return nil, nil
}

// fetch serves without a session, as a broker without a free session slot. At every change it asks the rules and the
// state machine again, so that a fault or a new leader epoch ends a parked fetch.
func (x *exchange) fetch(req *kmsg.FetchRequest, decision rules.Decision) (kmsg.Response, *rules.Decision, error) {
	if req.Version >= 7 && req.SessionEpoch > 0 {
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		resp.ErrorCode = sessionNotFound
		return resp, nil, nil
	}
	asked := *req
	asked.SessionID, asked.SessionEpoch = 0, -1
	deadline := time.Now().Add(time.Duration(req.MaxWaitMillis) * time.Millisecond)
	if x.sendsAway(req) {
		deadline = time.Now()
	}
	for {
		wait, woken := x.waitLimit(decision, time.Until(deadline))
		asked.MaxWaitMillis = int32(max(0, wait).Milliseconds())
		resp, again, err := x.splitUnless(&asked, decision.Codes, woken)
		if err != nil {
			return nil, nil, err
		}
		if again == nil {
			withheld := x.editReaders(req, resp.(*kmsg.FetchResponse))
			over := time.Until(deadline) < time.Millisecond
			if over || wire.FetchFull(resp.(*kmsg.FetchResponse), req.MinBytes) {
				return resp, nil, nil
			}
			if withheld { // the state machine, which has the records, does not wait
				time.Sleep(min(fetchPoll, time.Until(deadline)))
			}
			decision = x.conn.front.decide(x.call, x.held)
		} else {
			decision = *again
		}
		select {
		case <-x.conn.gone:
			return nil, nil, errClosed
		default:
		}
		if decision.Kind != rules.Forward {
			return nil, &decision, nil
		}
	}
}

// waitLimit returns the time that a fetch may wait in the state machine, and the condition that ends the wait early.
func (x *exchange) waitLimit(decision rules.Decision, left time.Duration) (time.Duration, func() *rules.Decision) {
	switch {
	case len(decision.Codes) > 0:
		return 0, nil
	case !decision.Plain():
		return min(left, fetchPoll), nil
	case left < time.Millisecond:
		return 0, nil
	}
	waits := false
	return left, func() *rules.Decision {
		now := x.conn.front.decide(x.call, x.held)
		if !waits && now.Plain() {
			waits = true
			return nil
		}
		return &now
	}
}
