package main

import (
	"sync"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// admin asks one question each interval for each partition, in turn: earliest, latest and committed offset.
type admin struct {
	library sarama.Client
	out     *driver.Instance
	start   *driverpb.Start
	closing chan struct{}
	beats   sync.WaitGroup
	calls   sync.WaitGroup
}

type question struct {
	name string
	ask  func(a *admin, partition int32) (int64, error)
}

var questions = []question{
	{"earliest", func(a *admin, partition int32) (int64, error) {
		return a.library.GetOffset(a.start.Topic, partition, sarama.OffsetOldest)
	}},
	{"latest", func(a *admin, partition int32) (int64, error) {
		return a.library.GetOffset(a.start.Topic, partition, sarama.OffsetNewest)
	}},
	{"committed", (*admin).committed},
}

func openAdmin(config *sarama.Config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	library, err := sarama.NewClient(start.Bootstrap, config)
	if err != nil {
		return nil, err
	}
	a := &admin{library: library, out: out, start: start, closing: make(chan struct{})}
	out.Ready(settings(config, start.Role))
	asked := questions
	if start.Group == "" {
		asked = questions[:2]
	}
	for _, partition := range start.Partitions {
		a.beats.Add(1)
		go a.beat(partition, asked)
	}
	return a, nil
}

func (a *admin) beat(partition int32, asked []question) {
	defer a.beats.Done()
	flow := driver.NewFlow(a.start.MaxInFlight)
	sequence := int64(0)
	driver.Beat(a.closing, a.out.IntervalOf(partition), func() {
		if !flow.Begin() {
			return
		}
		a.calls.Add(1)
		go a.call(asked[sequence%int64(len(asked))], partition, sequence, flow)
		sequence++
	})
}

func (a *admin) call(asked question, partition int32, sequence int64, flow *driver.Flow) {
	defer a.calls.Done()
	defer flow.End()
	this, text := driver.At(partition, sequence), driver.Text("%s", asked.name)
	a.out.Event(driverpb.Kind_SENT, this, text)
	offset, err := asked.ask(a, partition)
	if err != nil {
		a.out.Event(driverpb.Kind_LIST_ERROR, this, text, driver.Failed(describe(err)))
		return
	}
	a.out.Event(driverpb.Kind_LISTED, this, text, driver.Offset(offset))
}

// committed asks through an OffsetManager of its own: the one way that every version has, with the library's retries.
func (a *admin) committed(partition int32) (int64, error) {
	offsets, err := sarama.NewOffsetManagerFromClient(a.start.Group, a.library)
	if err != nil {
		return -1, err
	}
	defer func() { _ = offsets.Close() }()
	part, err := offsets.ManagePartition(a.start.Topic, partition)
	if err != nil {
		return -1, err
	}
	offset, _ := part.NextOffset() // of a group that committed nothing: Consumer.Offsets.Initial, which is negative
	return max(offset, -1), nil
}

func (a *admin) Close() {
	close(a.closing)
	a.beats.Wait()
	a.calls.Wait()
	if err := a.library.Close(); err != nil {
		a.out.Notice("close: %v", err)
	}
}
