package driver

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// lookback is the time before now at which "timestamp" asks for the first record, which exists where the topic is fed.
const lookback = time.Second

// LookedBack returns the timestamp to ask for, in milliseconds.
func LookedBack() int64 { return time.Now().Add(-lookback).UnixMilli() }

// Nowhere stands for a partition in questions about the cluster.
const Nowhere int32 = -1

// AdminQuery asks for an offset of a partition. Its name is the text of the events (driver.proto, last paragraph).
type AdminQuery struct {
	Name string
	Ask  func(partition int32) (offset int64, err error)
}

// ClusterQuestions are the questions about the cluster; nil for those that a version has no call for.
type ClusterQuestions struct {
	Create   func(topic string) error // whether a topic could be created
	Describe func() error
	Group    func() error
}

// inTurn returns the questions in turn, with names of topics that do not exist.
func (q ClusterQuestions) inTurn(topic string) (queries []AdminQuery) {
	var number atomic.Int64
	add := func(name string, ask func() error) {
		queries = append(queries, AdminQuery{Name: name, Ask: func(int32) (int64, error) { return -1, ask() }})
	}
	create := func() error { return q.Create(fmt.Sprintf("%s-%d", topic, number.Add(1))) }
	for _, other := range []struct {
		name string
		ask  func() error
	}{{"cluster", q.Describe}, {"group", q.Group}} {
		if q.Create != nil {
			add("create", create)
		}
		if other.ask != nil {
			add(other.name, other.ask)
		}
	}
	return queries
}

// AdminWorkload asks one question per interval and partition, all kinds in turn, and one about the cluster.
type AdminWorkload struct {
	workload *Workload
	out      *Instance
	queries  []AdminQuery
	cluster  []AdminQuery
	describe func(error) *driverpb.Error
	calls    sync.WaitGroup
}

// StartAdminWorkload starts the workload of the role admin; `describe` is Library.Describe.
func StartAdminWorkload(
	out *Instance, start *driverpb.Start, queries []AdminQuery, cluster ClusterQuestions,
	describe func(error) *driverpb.Error,
) *AdminWorkload {
	w := &AdminWorkload{out: out, queries: queries, cluster: cluster.inTurn(start.Topic), describe: describe}
	var beside []int32
	if len(w.cluster) > 0 {
		beside = append(beside, Nowhere)
	}
	w.workload = StartWorkload(out, start, w.begin, beside...)
	return w
}

func (w *AdminWorkload) begin(partition int32, sequence int64, ended func()) bool {
	queries := w.queries
	if partition == Nowhere {
		queries = w.cluster
	}
	w.calls.Go(func() {
		defer ended()
		w.call(queries[sequence%int64(len(queries))], partition, sequence)
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
