package main

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// instance is a transactional producer by hand.
type instance struct {
	r     *rig
	txid  string
	id    int64
	epoch int16
	next  int32 // sequence number
}

// newInstance initializes a transactional id, which fences the instances before it.
func newInstance(r *rig, txid string) *instance {
	r.t.Helper()
	req := kmsg.NewPtrInitProducerIDRequest()
	req.TransactionalID, req.TransactionTimeoutMillis = &txid, 60_000
	resp := r.coordinatorOf(txid).ask(req).(*kmsg.InitProducerIDResponse)
	if resp.ErrorCode != 0 {
		r.t.Fatalf("InitProducerID: error %d", resp.ErrorCode)
	}
	return &instance{r: r, txid: txid, id: resp.ProducerID, epoch: resp.ProducerEpoch}
}

func (r *rig) coordinatorOf(txid string) *raw {
	r.t.Helper()
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.Version, req.CoordinatorKey, req.CoordinatorType = 1, txid, wire.Transaction
	return r.raw(r.raw(1).ask(req).(*kmsg.FindCoordinatorResponse).NodeID)
}

// add adds a partition to the transaction and returns the code. From v4 on a request lists transactions.
func (i *instance) add(version int16, topic string, partition int32) int16 {
	i.r.t.Helper()
	req := kmsg.NewPtrAddPartitionsToTxnRequest()
	req.Version, req.TransactionalID, req.ProducerID, req.ProducerEpoch = version, i.txid, i.id, i.epoch
	req.Topics = []kmsg.AddPartitionsToTxnRequestTopic{{Topic: topic, Partitions: []int32{partition}}}
	if version >= 4 {
		listed := kmsg.NewAddPartitionsToTxnRequestTransaction()
		listed.TransactionalID, listed.ProducerID, listed.ProducerEpoch = i.txid, i.id, i.epoch
		listed.Topics = []kmsg.AddPartitionsToTxnRequestTransactionTopic{{Topic: topic, Partitions: []int32{partition}}}
		req.Transactions = append(req.Transactions, listed)
	}
	resp := i.r.coordinatorOf(i.txid).ask(req).(*kmsg.AddPartitionsToTxnResponse)
	if version >= 4 {
		if len(resp.Transactions) != 1 {
			i.r.t.Fatalf("AddPartitionsToTxn v%d: %d transactions in the answer", version, len(resp.Transactions))
		}
		return resp.Transactions[0].Topics[0].Partitions[0].ErrorCode
	}
	return resp.Topics[0].Partitions[0].ErrorCode
}

// produce writes one transactional record at broker 1 and returns the code.
func (i *instance) produce(version int16, topic string, partition int32) int16 {
	i.r.t.Helper()
	req := produceTo(version, -1, topic, partition)
	req.TransactionID = &i.txid
	rows := req.Topics[0].Partitions
	rows[0].Records = i.stamped(rows[0].Records)
	code := produceCodes(i.r.raw(1).ask(req))[partition]
	if code == 0 {
		i.next++
	}
	return code
}

// stamped makes a batch one of this producer's transaction.
func (i *instance) stamped(batch []byte) []byte {
	batch[22] |= 0x10
	binary.BigEndian.PutUint64(batch[43:], uint64(i.id))
	binary.BigEndian.PutUint16(batch[51:], uint16(i.epoch))
	binary.BigEndian.PutUint32(batch[53:], uint32(i.next))
	binary.BigEndian.PutUint32(batch[17:], crc32.Checksum(batch[21:], crc32.MakeTable(crc32.Castagnoli)))
	return batch
}

// state returns the transaction's state.
func (i *instance) state() string {
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = []string{i.txid}
	return i.r.coordinatorOf(i.txid).ask(req).(*kmsg.DescribeTransactionsResponse).TransactionStates[0].State
}

func expect(t *testing.T, what string, got, want int16) {
	t.Helper()
	if got != want {
		t.Errorf("%s: error %d, want %d", what, got, want)
	}
}

// TestAFencedProducersWriteIsFatal: 47 in every version and release, also in those without DescribeTransactions; 48 is
// for a partition outside of a transaction.
func TestAFencedProducersWriteIsFatal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		version int16
	}{{"1.1", 3}, {"2.6", 7}, {"3.9", 9}, {"3.9", 11}, {"4.4", 11}, {"4.4", 12}} {
		r := start(t, c.release)
		r.topic("t", 1, 1)
		old := newInstance(r, "x")
		expect(t, "its partition", old.add(0, "t", 0), 0)
		expect(t, "its write", old.produce(c.version, "t", 0), 0)
		if c.version < 12 {
			expect(t, "another partition", old.produce(c.version, "t", 1), 48)
		}
		fresh := newInstance(r, "x")
		for partition := range int32(2) {
			if code := old.produce(c.version, "t", partition); code != 47 {
				t.Errorf("%s, Produce v%d, partition %d: error %d after the fence, want 47", c.release, c.version, partition, code)
			}
		}
		if c.release == "4.4" && fresh.state() == "Ongoing" {
			t.Error("the fenced write began a transaction of the new instance")
		}
		expect(t, "the new partition", fresh.add(0, "t", 0), 0)
		expect(t, "the new write", fresh.produce(c.version, "t", 0), 0)
	}
}

// TestAPartitionOfAListedTransactionIsWritten: krafka and @platformatic/kafka send the form that brokers send each other.
func TestAPartitionOfAListedTransactionIsWritten(t *testing.T) {
	t.Parallel()
	for _, version := range []int16{3, 4, 5} {
		r := start(t, "3.9")
		r.topic("t", 1, 1)
		old := newInstance(r, "x")
		expect(t, "its partition", old.add(version, "t", 0), 0)
		expect(t, "its write", old.produce(11, "t", 0), 0)
		expect(t, "a write to another partition", old.produce(11, "t", 1), 48)
		if state := old.state(); state != "Ongoing" {
			t.Errorf("AddPartitionsToTxn v%d: the transaction is %s, want Ongoing", version, state)
		}
		newInstance(r, "x")
		expect(t, "a partition after the fence", old.add(version, "t", 1), 90)
	}
}

// TestAFencedProducersRequests answer 47 to clients that do not know 90 (KIP-588).
func TestAFencedProducersRequests(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	old := newInstance(r, "x")
	expect(t, "its partition", old.add(0, "t", 0), 0)
	newInstance(r, "x")
	coordinator := r.coordinatorOf("x")
	for _, c := range []struct{ version, want int16 }{{0, 47}, {1, 47}, {2, 90}, {3, 90}} {
		expect(t, "AddPartitionsToTxn", old.add(c.version, "t", 0), c.want)
		end := kmsg.NewPtrEndTxnRequest()
		end.Version, end.TransactionalID, end.ProducerID, end.ProducerEpoch = c.version, "x", old.id, old.epoch
		expect(t, "EndTxn", coordinator.ask(end).(*kmsg.EndTxnResponse).ErrorCode, c.want)
		offsets := kmsg.NewPtrAddOffsetsToTxnRequest()
		offsets.Version, offsets.TransactionalID, offsets.ProducerID, offsets.ProducerEpoch = c.version, "x", old.id, old.epoch
		offsets.Group = "g"
		expect(t, "AddOffsetsToTxn", coordinator.ask(offsets).(*kmsg.AddOffsetsToTxnResponse).ErrorCode, c.want)
	}
}
