package front

import (
	"fmt"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func checkUseID(used *clusterpb.UsedId) error {
	if used.TransactionalId == "" || used.Producers < 1 {
		return fmt.Errorf("%d producers of transactional id %q: give an id, and 1 or more", used.Producers, used.TransactionalId)
	}
	return nil
}

func (f *Front) checkOpenTransaction(left *clusterpb.OpenTransaction) error {
	if left.TransactionalId == "" || left.Records < 1 || left.TimeoutMs < 1 {
		return fmt.Errorf("open transaction of %q with %d records for %d ms: give an id, and 1 or more of both", left.TransactionalId, left.Records, left.TimeoutMs)
	}
	if _, ok := f.newest().Partition(left.Topic, left.Partition); !ok {
		return fmt.Errorf("open transaction: there is no partition %s/%d", left.Topic, left.Partition)
	}
	return nil
}

// useID starts other producers with a transactional id, which fences the one before for good.
func (f *Front) useID(used *clusterpb.UsedId) error {
	if err := f.backend.UseTransactionalID(used.TransactionalId, used.Producers); err != nil {
		return err
	}
	_, epoch, _, err := f.backend.Producer(used.TransactionalId)
	f.taken[used.TransactionalId] = epoch
	return err
}

// refuse answers PRODUCER_FENCED (90) to a fenced producer that asks for a new epoch: the state machine would give it
// one, as to a producer whose transaction timed out. Nil where it may have one. Source:
// TransactionMetadata.prepareIncrementProducerEpoch of 3.9.2.
func (x *exchange) refuse() (kmsg.Response, error) {
	req, ok := x.req.(*kmsg.InitProducerIDRequest)
	if !ok || req.TransactionalID == nil || req.ProducerEpoch < 0 {
		return nil, nil
	}
	front := x.conn.front
	front.mu.Lock()
	epoch, taken := front.taken[*req.TransactionalID]
	front.mu.Unlock()
	if !taken || req.ProducerEpoch >= epoch {
		return nil, nil
	}
	resp, err := wire.Shape(req, producerFenced)
	if err == nil {
		editFenced(resp)
	}
	return resp, err
}
