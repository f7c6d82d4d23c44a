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

// admin asks through Client.Request, which finds leaders, coordinators and the controller and retries by itself.
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
	cluster := driver.ClusterQuestions{Create: a.create, Describe: a.describe, Group: a.group}
	a.workload = driver.StartAdminWorkload(out, start, a.queries(), cluster, describe)
	return a, nil
}

func (a *admin) queries() []driver.AdminQuery {
	queries := []driver.AdminQuery{
		{Name: "latest", Ask: func(partition int32) (int64, error) { return a.listed(partition, -1) }},
		{Name: "earliest", Ask: func(partition int32) (int64, error) { return a.listed(partition, -2) }},
		{Name: "timestamp", Ask: func(partition int32) (int64, error) { return a.listed(partition, driver.LookedBack()) }},
	}
	if queriesCommitted && a.start.Group != "" {
		queries = append(queries, driver.AdminQuery{Name: "committed", Ask: a.committed})
	}
	return queries
}

var errNoRow = errors.New("the response has no row for what was asked")

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

func (a *admin) create(topic string) error {
	asked := kmsg.NewCreateTopicsRequestTopic()
	asked.Topic, asked.NumPartitions, asked.ReplicationFactor = topic, 1, 1
	request := kmsg.NewPtrCreateTopicsRequest()
	request.Topics, request.ValidateOnly = append(request.Topics, asked), true
	response, err := request.RequestWith(a.running, a.library)
	if err != nil {
		return err
	}
	for _, row := range response.Topics {
		return kerr.ErrorForCode(row.ErrorCode)
	}
	return errNoRow
}

// describe asks for Metadata without topics, as kadm does.
func (a *admin) describe() error {
	request := kmsg.NewPtrMetadataRequest()
	request.Topics = []kmsg.MetadataRequestTopic{}
	_, err := request.RequestWith(a.running, a.library)
	return err
}

func (a *admin) group() error {
	request := kmsg.NewPtrDescribeGroupsRequest()
	request.Groups = []string{a.start.Group}
	response, err := request.RequestWith(a.running, a.library)
	if err != nil {
		return err
	}
	for _, row := range response.Groups {
		return kerr.ErrorForCode(row.ErrorCode)
	}
	return errNoRow
}

func (a *admin) Close() {
	a.stop()
	a.workload.Stop()
	a.library.Close()
}
