package main

import (
	"context"
	"errors"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// admin queries offsets through Client.Request, which finds leaders and coordinators and retries by itself.
type admin struct {
	library  *kgo.Client
	start    *driverpb.Start
	running  context.Context
	stop     context.CancelFunc
	workload *driver.AdminWorkload
}

// queriesCommitted reports whether committed offsets are queried; a file with a build tag sets it to false.
var queriesCommitted = true

func openAdmin(options []kgo.Opt, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	library, err := connect(options, start, out)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.Background())
	a := &admin{library: library, start: start, running: running, stop: stop}
	a.workload = driver.StartAdminWorkload(out, start, a.queries(), describe)
	return a, nil
}

func (a *admin) queries() []driver.AdminQuery {
	queries := []driver.AdminQuery{
		{Name: "earliest", Ask: func(partition int32) (int64, error) { return a.listed(partition, -2) }},
		{Name: "latest", Ask: func(partition int32) (int64, error) { return a.listed(partition, -1) }},
	}
	if queriesCommitted && a.start.Group != "" {
		queries = append(queries, driver.AdminQuery{Name: "committed", Ask: a.committed})
	}
	return queries
}

var errNoRow = errors.New("the response has no row for the partition")

func (a *admin) listed(partition int32, timestamp int64) (int64, error) {
	part := kmsg.NewListOffsetsRequestTopicPartition()
	part.Partition, part.Timestamp = partition, timestamp
	topic := kmsg.NewListOffsetsRequestTopic()
	topic.Topic, topic.Partitions = a.start.Topic, append(topic.Partitions, part)
	request := kmsg.NewPtrListOffsetsRequest()
	request.Topics = append(request.Topics, topic)
	response, err := request.RequestWith(a.running, a.library)
	if err != nil {
		return -1, err
	}
	for _, topic := range response.Topics {
		for _, part := range topic.Partitions {
			return part.Offset, kerr.ErrorForCode(part.ErrorCode)
		}
	}
	return -1, errNoRow
}

func (a *admin) committed(partition int32) (int64, error) {
	topic := kmsg.NewOffsetFetchRequestTopic()
	topic.Topic, topic.Partitions = a.start.Topic, []int32{partition}
	request := kmsg.NewPtrOffsetFetchRequest()
	request.Group, request.Topics = a.start.Group, append(request.Topics, topic)
	response, err := request.RequestWith(a.running, a.library)
	if err != nil {
		return -1, err
	}
	if response.ErrorCode != 0 {
		return -1, kerr.ErrorForCode(response.ErrorCode)
	}
	for _, topic := range response.Topics {
		for _, part := range topic.Partitions {
			return part.Offset, kerr.ErrorForCode(part.ErrorCode)
		}
	}
	return -1, errNoRow
}

func (a *admin) Close() {
	a.stop()
	a.workload.Stop()
	a.library.Close()
}
