package main

import (
	"context"
	"errors"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// admin asks one question each interval for each partition, in turn: earliest, latest and committed offset. It asks
// through Client.Request, which finds leaders and coordinators and retries by itself.
type admin struct {
	library *kgo.Client
	out     *driver.Instance
	start   *driverpb.Start
	running context.Context
	stop    context.CancelFunc
	beats   sync.WaitGroup
	calls   sync.WaitGroup
}

type question struct {
	name string
	ask  func(a *admin, partition int32) (int64, error)
}

var questions = []question{
	{"earliest", func(a *admin, partition int32) (int64, error) { return a.listed(partition, -2) }},
	{"latest", func(a *admin, partition int32) (int64, error) { return a.listed(partition, -1) }},
	{"committed", (*admin).committed},
}

func openAdmin(options []kgo.Opt, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	library, err := connect(options, start, out)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.Background())
	a := &admin{library: library, out: out, start: start, running: running, stop: stop}
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
	driver.Beat(a.running.Done(), a.out.IntervalOf(partition), func() {
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

var errNoAnswer = errors.New("the answer says nothing of the partition")

func (a *admin) listed(partition int32, timestamp int64) (int64, error) {
	part := kmsg.NewListOffsetsRequestTopicPartition()
	part.Partition, part.Timestamp = partition, timestamp
	topic := kmsg.NewListOffsetsRequestTopic()
	topic.Topic, topic.Partitions = a.start.Topic, append(topic.Partitions, part)
	request := kmsg.NewPtrListOffsetsRequest()
	request.Topics = append(request.Topics, topic)
	answer, err := request.RequestWith(a.running, a.library)
	if err != nil {
		return -1, err
	}
	for _, topic := range answer.Topics {
		for _, part := range topic.Partitions {
			return part.Offset, kerr.ErrorForCode(part.ErrorCode)
		}
	}
	return -1, errNoAnswer
}

func (a *admin) committed(partition int32) (int64, error) {
	topic := kmsg.NewOffsetFetchRequestTopic()
	topic.Topic, topic.Partitions = a.start.Topic, []int32{partition}
	request := kmsg.NewPtrOffsetFetchRequest()
	request.Group, request.Topics = a.start.Group, append(request.Topics, topic)
	answer, err := request.RequestWith(a.running, a.library)
	if err != nil {
		return -1, err
	}
	if answer.ErrorCode != 0 {
		return -1, kerr.ErrorForCode(answer.ErrorCode)
	}
	for _, topic := range answer.Topics {
		for _, part := range topic.Partitions {
			return part.Offset, kerr.ErrorForCode(part.ErrorCode)
		}
	}
	return -1, errNoAnswer
}

func (a *admin) Close() {
	a.stop()
	a.beats.Wait()
	a.calls.Wait()
	a.library.Close()
}
