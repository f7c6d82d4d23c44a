//go:build confluent

package main

import (
	"context"
	"errors"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// admin asks one client, but for the description of the cluster: its answer names the controller, which the client that
// asks remembers, so another one asks.
type admin struct {
	library, other *kafka.AdminClient
	start          *driverpb.Start
	running        context.Context
	stop           context.CancelFunc
	workload       *driver.AdminWorkload
}

func openAdmin(set config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	running, stop := context.WithCancel(context.Background())
	a := &admin{start: start, running: running, stop: stop}
	_, err := connect(set, start, out, nil, func(given *kafka.ConfigMap) (*kafka.AdminClient, error) {
		var err error
		if a.library, err = kafka.NewAdminClient(given); err == nil {
			a.other, err = kafka.NewAdminClient(given)
		}
		return a.library, err
	})
	if err != nil {
		stop()
		return nil, err
	}
	cluster := driver.ClusterQuestions{Create: a.create, Describe: a.describeCluster, Group: a.describeGroup}
	a.workload = driver.StartAdminWorkload(out, start, a.queries(), cluster, describe)
	return a, nil
}

func (a *admin) queries() []driver.AdminQuery {
	listed := func(spec func() kafka.OffsetSpec) func(int32) (int64, error) {
		return func(partition int32) (int64, error) { return a.listed(partition, spec()) }
	}
	return []driver.AdminQuery{
		{Name: "latest", Ask: listed(func() kafka.OffsetSpec { return kafka.LatestOffsetSpec })},
		{Name: "earliest", Ask: listed(func() kafka.OffsetSpec { return kafka.EarliestOffsetSpec })},
		{Name: "timestamp", Ask: listed(func() kafka.OffsetSpec {
			return kafka.NewOffsetSpecForTimestamp(driver.LookedBack())
		})},
		{Name: "committed", Ask: a.committed},
	}
}

var errNoRow = errors.New("the answer has no row for what was asked")

func (a *admin) place(partition int32) kafka.TopicPartition {
	return kafka.TopicPartition{Topic: &a.start.Topic, Partition: partition}
}

func (a *admin) listed(partition int32, spec kafka.OffsetSpec) (int64, error) {
	asked := map[kafka.TopicPartition]kafka.OffsetSpec{a.place(partition): spec}
	answer, err := a.library.ListOffsets(a.running, asked)
	if err != nil {
		return -1, err
	}
	for _, row := range answer.ResultInfos {
		return int64(row.Offset), failure(row.Error)
	}
	return -1, errNoRow
}

func (a *admin) committed(partition int32) (int64, error) {
	asked := kafka.ConsumerGroupTopicPartitions{
		Group: a.start.Group, Partitions: []kafka.TopicPartition{a.place(partition)},
	}
	answer, err := a.library.ListConsumerGroupOffsets(a.running, []kafka.ConsumerGroupTopicPartitions{asked})
	if err != nil {
		return -1, err
	}
	for _, group := range answer.ConsumerGroupsTopicPartitions {
		for _, row := range group.Partitions {
			return int64(row.Offset), row.Error
		}
	}
	return -1, errNoRow
}

func (a *admin) create(topic string) error {
	asked := kafka.TopicSpecification{Topic: topic, NumPartitions: 1, ReplicationFactor: 1}
	answer, err := a.library.CreateTopics(
		a.running, []kafka.TopicSpecification{asked}, kafka.SetAdminValidateOnly(true),
	)
	if err != nil {
		return err
	}
	for _, row := range answer {
		return failure(row.Error)
	}
	return errNoRow
}

func (a *admin) describeCluster() error {
	_, err := a.other.DescribeCluster(a.running)
	return err
}

func (a *admin) describeGroup() error {
	answer, err := a.library.DescribeConsumerGroups(a.running, []string{a.start.Group})
	if err != nil {
		return err
	}
	for _, row := range answer.ConsumerGroupDescriptions {
		return failure(row.Error)
	}
	return errNoRow
}

// failure returns an error of an answer; its rows have one with the code of success where there is none.
func failure(row kafka.Error) error {
	if row.Code() == kafka.ErrNoError {
		return nil
	}
	return row
}

func (a *admin) Close() {
	a.stop()
	a.workload.Stop()
	a.library.Close()
	a.other.Close()
}
