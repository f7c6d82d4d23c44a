package front

import (
	"maps"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/rules"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// fence adds INVALID_PRODUCER_EPOCH (47) to the rows of a transactional producer whose epoch is over: a second instance
// took its place, or its transaction timed out. The state machine would answer INVALID_TXN_STATE (48) for a partition
// that is in no transaction any more, which clients take for an error of that transaction only, and from v12 on it would
// begin a transaction in the name of the new instance. Source: ProducerAppendInfo.checkProducerEpoch; codes of 3.9.2
// and 4.4.0.
func (x *exchange) fence(req *kmsg.ProduceRequest, codes wire.Codes) (wire.Codes, error) {
	if req.TransactionID == nil {
		return codes, nil
	}
	id, epoch, known, err := x.conn.front.backend.Producer(*req.TransactionID)
	if err != nil || !known {
		return codes, err
	}
	row, fenced := 0, wire.Codes{}
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			var batch kmsg.RecordBatch
			if batch.ReadFrom(p.Records) == nil && batch.ProducerID == id && batch.ProducerEpoch < epoch {
				fenced[row] = rules.Code{Code: invalidProducerEpoch}
			}
			row++
		}
	}
	maps.Copy(fenced, codes) // a broker looks at leadership and at its disk first
	return fenced, nil
}

// identify decides about the id that a request for a transactional id brings along. For one that is new a broker takes any
// for a leftover and hands out its own; for one that exists it fences every other producer (90). The state machine
// looks for the id that was brought, and answers INVALID_PRODUCER_ID_MAPPING (49). Source: prepareInitProducerIdTransit of
// TransactionCoordinator, 3.9.2. Without a response the request is to be executed.
func (x *exchange) identify(req *kmsg.InitProducerIDRequest) (kmsg.Response, error) {
	if req.TransactionalID == nil || req.ProducerID < 0 {
		return nil, nil
	}
	id, _, known, err := x.conn.front.backend.Producer(*req.TransactionalID)
	if err != nil || id == req.ProducerID && known {
		return nil, err
	}
	if !known {
		req.ProducerID, req.ProducerEpoch = -1, -1
		return nil, nil
	}
	resp, err := wire.Shape(req, producerFenced)
	if err != nil {
		return nil, err
	}
	return x.conn.front.edit(req, resp, x.conn.broker), nil
}

// editFenced replaces PRODUCER_FENCED (90) in versions whose clients do not know it (KIP-588, KafkaApis), and in
// TxnOffsetCommit, where the epoch is checked by the log of the group's partition. Codes of 3.9.2 and 4.4.0.
func editFenced(resp kmsg.Response) {
	switch r := resp.(type) {
	case *kmsg.InitProducerIDResponse:
		fencedBelow(4, r.Version, &r.ErrorCode)
	case *kmsg.AddOffsetsToTxnResponse:
		fencedBelow(2, r.Version, &r.ErrorCode)
	case *kmsg.EndTxnResponse:
		fencedBelow(2, r.Version, &r.ErrorCode)
	case *kmsg.AddPartitionsToTxnResponse:
		for t := range r.Topics {
			for p := range r.Topics[t].Partitions {
				fencedBelow(2, r.Version, &r.Topics[t].Partitions[p].ErrorCode)
			}
		}
	case *kmsg.TxnOffsetCommitResponse:
		for t := range r.Topics {
			for p := range r.Topics[t].Partitions {
				fencedBelow(r.Version+1, r.Version, &r.Topics[t].Partitions[p].ErrorCode)
			}
		}
	}
}

func fencedBelow(since, version int16, code *int16) {
	if *code == producerFenced && version < since {
		*code = invalidProducerEpoch
	}
}
