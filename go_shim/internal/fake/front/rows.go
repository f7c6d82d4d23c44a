package front

import (
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/table"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	// fetchPoll is how long a fetch whose answer will be lost waits in the state machine before the table is asked again.
	fetchPoll = 50 * time.Millisecond
	// unackedClose is how long a broker takes to close after an error that acks=0 has no answer for (measured: 3.9.2).
	unackedClose = 23 * time.Millisecond
)

// split serves the rows that have no code and adds those that have.
func (x *exchange) split(req kmsg.Request, codes wire.Codes) (kmsg.Response, error) {
	resp, _, err := x.splitUnless(req, codes, nil)
	return resp, err
}

// splitUnless is split whose wait ends as await's does.
func (x *exchange) splitUnless(
	req kmsg.Request, codes wire.Codes, woken func() *table.Verdict,
) (kmsg.Response, *table.Verdict, error) {
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

// fetch serves without a session, as a broker with no free session slot does. At each change it asks the table and the
// state machine anew, so that a fetch that is parked when a fault or a new leader epoch comes is hit by it.
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
		wait, woken := x.patience(verdict, time.Until(deadline))
		asked.MaxWaitMillis = int32(max(0, wait).Milliseconds())
		resp, again, err := x.splitUnless(&asked, verdict.Codes, woken)
		if err != nil {
			return nil, nil, err
		}
		if again == nil {
			over := time.Until(deadline) < time.Millisecond
			if over || wire.FetchFull(resp.(*kmsg.FetchResponse), req.MinBytes) {
				return resp, nil, nil
			}
			verdict = x.conn.front.decide(x.call, x.held)
		} else {
			verdict = *again
		}
		select {
		case <-x.conn.gone:
			return nil, nil, errClosed
		default:
		}
		if verdict.Kind != table.Forward {
			return nil, &verdict, nil
		}
	}
}

// patience is how long a fetch may wait in the state machine, and what ends its wait before.
func (x *exchange) patience(verdict table.Verdict, left time.Duration) (time.Duration, func() *table.Verdict) {
	switch {
	case len(verdict.Codes) > 0:
		return 0, nil
	case !verdict.Plain():
		return min(left, fetchPoll), nil
	case left < time.Millisecond:
		return 0, nil
	}
	waits := false
	return left, func() *table.Verdict {
		now := x.conn.front.decide(x.call, x.held)
		if !waits && now.Plain() {
			waits = true
			return nil
		}
		return &now
	}
}
