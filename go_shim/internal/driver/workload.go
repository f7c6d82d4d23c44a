package driver

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// InFlight limits the operations of one partition, or of one key, that have begun and not ended.
type InFlight struct {
	limit   int64
	open    atomic.Int64
	skipped atomic.Int64
}

// BeginAll counts as many operations, all or none; false if they would exceed the limit, which counts as a skipped one.
func (f *InFlight) BeginAll(count int) bool {
	if f.open.Add(int64(count)) <= f.limit {
		return true
	}
	f.open.Add(int64(-count))
	f.skipped.Add(1)
	return false
}

// NewInFlight allows `limit` operations at once, at least one.
func NewInFlight(limit int32) *InFlight { return &InFlight{limit: int64(max(limit, 1))} }

// Begin counts an operation; false at the limit, which counts as a skipped one.
func (f *InFlight) Begin() bool { return f.BeginAll(1) }

// End ends an operation.
func (f *InFlight) End() { f.open.Add(-1) }

// Operation begins one operation on a partition. `ended` is called once, from any goroutine, when the operation has
// ended. False means that no operation began: it counts as skipped, and the next one uses the same sequence number.
type Operation func(partition int32, sequence int64, ended func()) bool

// Burst begins several operations of one partition in one call of the library, with consecutive sequence numbers of one
// series. It returns how many began; `ended` is called once for each of these when it has ended.
type Burst func(partition int32, sequences []int64, ended func()) int

// Workload begins the operations of an instance, with at most max_in_flight of them open on each partition or key
// (driver.proto, Start and Workloads). A burst begins as a whole or not at all. Every one has a goroutine, so a blocked one does not delay the others.
type Workload struct {
	out     *Instance
	done    chan struct{}
	tickers sync.WaitGroup
	limits  []*InFlight
}

// StartWorkload starts a workload. `beside` are pseudo-partitions that have operations, too.
func StartWorkload(out *Instance, start *driverpb.Start, operation Operation, beside ...int32) *Workload {
	return StartBursts(out, start, func(partition int32, sequences []int64, ended func()) int {
		for begun, sequence := range sequences {
			if !operation(partition, sequence, ended) {
				return begun
			}
		}
		return len(sequences)
	}, beside...)
}

// StartBursts starts a workload of a library whose application writes many records in one call.
func StartBursts(out *Instance, start *driverpb.Start, burst Burst, beside ...int32) *Workload {
	w := &Workload{out: out, done: make(chan struct{})}
	for _, s := range slices.Concat(seriesOf(start), alone(beside)) {
		limit := NewInFlight(max(start.MaxInFlight, int32(s.batch)))
		w.limits = append(w.limits, limit)
		w.tickers.Go(func() { w.run(s, limit, burst) })
	}
	return w
}

func (w *Workload) run(s series, limit *InFlight, burst Burst) {
	next := s.first
	Tick(w.done, w.out.IntervalOf(s.partition), func() {
		if !limit.BeginAll(s.batch) {
			return
		}
		sequences := make([]int64, s.batch)
		for place := range sequences {
			sequences[place] = next + int64(place)*s.step
		}
		begun := burst(s.partition, sequences, limit.End)
		for range sequences[begun:] {
			limit.End()
			limit.skipped.Add(1)
		}
		next += int64(begun) * s.step
	})
}

// Stop ends the workload. It returns when no operation begins any more; open ones go on.
func (w *Workload) Stop() {
	close(w.done)
	w.tickers.Wait()
}

// ReportSkipped reports, per partition or key, how often no operation began.
func (w *Workload) ReportSkipped() {
	for index, limit := range w.limits {
		if skipped := limit.skipped.Load(); skipped > 0 {
			w.out.Notice("partition index %d: %d ticks were skipped", index, skipped)
		}
	}
}
