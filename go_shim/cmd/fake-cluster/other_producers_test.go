package main

import (
	"testing"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// again asks for another epoch, as a producer does that was fenced or whose transaction timed out (KIP-360).
func (i *instance) again(version int16) int16 {
	i.r.t.Helper()
	req := kmsg.NewPtrInitProducerIDRequest()
	req.Version, req.TransactionalID, req.TransactionTimeoutMillis = version, &i.txid, 60_000
	req.ProducerID, req.ProducerEpoch = i.id, i.epoch
	return i.r.coordinatorOf(i.txid).ask(req).(*kmsg.InitProducerIDResponse).ErrorCode
}

// TestAProducerWhoseIDWasTakenOverGetsNoEpoch: 90, or 47 to clients that do not know it.
func TestAProducerWhoseIDWasTakenOverGetsNoEpoch(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	old, other := newInstance(r, "x"), newInstance(r, "y")
	expect(t, "its partition", old.add(2, "t", 0), 0)
	used := &clusterpb.UsedId{TransactionalId: "x", Producers: 1}
	r.apply(&clusterpb.Change{Change: &clusterpb.Change_UseId{UseId: used}})
	expect(t, "its next partition", old.add(2, "t", 0), 90)
	expect(t, "another epoch", old.again(4), 90)
	expect(t, "another epoch, asked for before KIP-588", old.again(3), 47)
	expect(t, "another id", other.again(4), 0)
}

// TestATransactionThatIsLeftOpenIsAbortedInTime: its records are never read back.
func TestATransactionThatIsLeftOpenIsAbortedInTime(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	left := &clusterpb.OpenTransaction{TransactionalId: "x", Topic: "t", Records: 3, TimeoutMs: 300}
	r.apply(&clusterpb.Change{Change: &clusterpb.Change_OpenTransaction{OpenTransaction: left}})
	state := func() string { return (&instance{r: r, txid: "x"}).state() }
	if got := state(); got != "Ongoing" {
		t.Errorf("state %q before the time-out", got)
	}
	eventually(t, "the transaction is aborted", func() bool { return state() != "Ongoing" })
	if got := r.stored("t", 0); len(got) != 0 {
		t.Errorf("read back: %v", got)
	}
}
