package driver

import "github.com/kafka-metadata-probe/go_shim/internal/driverpb"

// producer writes records to every partition, or with every key.
type producer struct {
	workload *Workload
	end      func()
}

// StartProducer starts the workload of a producer whose `write` passes a record to the library and has `done` called with
// the result. Its Close stops the workload, calls `end`, which closes the library's producer, and reports what was skipped.
func StartProducer(
	out *Instance, start *driverpb.Start, write func(partition int32, sequence int64, done func(error)), end func(),
) Client {
	p := &producer{end: end}
	p.workload = StartWorkload(out, start, func(partition int32, sequence int64, ended func()) bool {
		write(partition, sequence, func(error) { ended() })
		return true
	})
	return p
}

func (p *producer) Close() {
	p.workload.Stop()
	p.end()
	p.workload.ReportSkipped()
}

// Feed gives an application the records of a partition, one at each interval, until `done` is closed.
func Feed(done <-chan struct{}, out *Instance, partition int32, give func(value string)) {
	sequence := int64(0)
	Tick(done, out.IntervalOf(partition), func() {
		clock := Clock()
		value := Value(out.Name(), partition, sequence, clock)
		out.Sent(partition, sequence, clock)
		give(value)
		sequence++
	})
}
