package driver

import (
	"sync"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// AdminQuery asks for an offset of a partition. Its name is the text of the events (driver.proto, LISTED).
type AdminQuery struct {
	Name string
	Ask  func(partition int32) (offset int64, err error)
}

// AdminWorkload sends one query per interval and partition, all kinds in turn.
type AdminWorkload struct {
	workload *Workload
	out      *Instance
	queries  []AdminQuery
	describe func(error) *driverpb.Error
	calls    sync.WaitGroup
}

// StartAdminWorkload starts the workload of the role admin; `describe` is Library.Describe.
func StartAdminWorkload(
	out *Instance, start *driverpb.Start, queries []AdminQuery, describe func(error) *driverpb.Error,
) *AdminWorkload {
	w := &AdminWorkload{out: out, queries: queries, describe: describe}
	w.workload = StartWorkload(out, start, w.begin)
	return w
}

func (w *AdminWorkload) begin(partition int32, sequence int64, ended func()) bool {
	w.calls.Go(func() {
		defer ended()
		w.call(w.queries[sequence%int64(len(w.queries))], partition, sequence)
	})
	return true
}

func (w *AdminWorkload) call(query AdminQuery, partition int32, sequence int64) {
	at, text := At(partition, sequence), Text("%s", query.Name)
	w.out.Event(driverpb.Kind_SENT, at, text)
	offset, err := query.Ask(partition)
	if err != nil {
		w.out.Event(driverpb.Kind_LIST_ERROR, at, text, Failed(w.describe(err)))
		return
	}
	w.out.Event(driverpb.Kind_LISTED, at, text, Offset(offset))
}

// Stop ends the workload and waits for its open calls.
func (w *AdminWorkload) Stop() {
	w.workload.Stop()
	w.calls.Wait()
}
