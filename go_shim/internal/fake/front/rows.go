package front

import (
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/table"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	// fetchPoll is how long a fetch waits in the state machine before the table is asked again.
	fetchPoll = 50 * time.Millisecond
	// unackedClose is how long a broker takes to close after an error that acks=0 has no answer for (measured: 3.9.2).
	unackedClose = 23 * time.Millisecond
)

// split serves the rows that have no code and adds those that have.
func (x *exchange) split(req kmsg.Request, codes wire.Codes) (kmsg.Response, error) {
	rest, left := wire.Cut(req, codes)
	resp := req.ResponseKind()
	if left > 0 || len(codes) == 0 {
		var err error
		if resp, err = x.ask(x.conn.broker, rest); err != nil {
			return nil, err
		}
		x.conn.front.edit(req, resp, x.conn.broker)
	}
	wire.Add(resp, req, codes)
	x.conn.front.setHints(resp, x.conn.broker)
	return resp, nil
}

// produce serves acks=0 as acks=1, and closes on an error that has no answer.
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

// fetch serves without a session, as a broker with no free session slot does, and asks the table each fetchPoll, so
// that a fetch that is parked when a fault comes is hit by it.
func (x *exchange) fetch(req *kmsg.FetchRequest, verdict table.Verdict) (kmsg.Response, *table.Verdict, error) {
	if req.Version >= 7 && req.SessionEpoch > 0 {
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		resp.ErrorCode = sessionNotFound
		return resp, nil, nil
	}
	asked := *req
	asked.SessionID, asked.SessionEpoch = 0, -1
	deadline := time.Now().Add(time.Duration(req.MaxWaitMillis) * time.Millisecond)
	for {
		left := time.Until(deadline)
		asked.MaxWaitMillis = int32(max(0, min(left, fetchPoll)).Milliseconds())
		if len(verdict.Codes) > 0 {
			asked.MaxWaitMillis = 0
		}
		resp, err := x.split(&asked, verdict.Codes)
		if err != nil {
			return nil, nil, err
		}
		if left <= fetchPoll || wire.FetchFull(resp.(*kmsg.FetchResponse), req.MinBytes) {
			return resp, nil, nil
		}
		select {
		case <-x.conn.gone:
			return nil, nil, errClosed
		default:
		}
		if verdict = x.conn.front.decide(x.call, x.held); verdict.Kind != table.Forward {
			return nil, &verdict, nil
		}
	}
}
