package main

import (
	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// admin queries offsets through Client and OffsetManager, the interfaces that every version has.
type admin struct {
	library  sarama.Client
	out      *driver.Instance
	start    *driverpb.Start
	workload *driver.AdminWorkload
}

func openAdmin(config *sarama.Config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	library, err := sarama.NewClient(start.Bootstrap, config)
	if err != nil {
		return nil, err
	}
	a := &admin{library: library, out: out, start: start}
	out.Ready(settings(config, start.Role))
	queries := []driver.AdminQuery{
		{Name: "earliest", Ask: a.listed(sarama.OffsetOldest)},
		{Name: "latest", Ask: a.listed(sarama.OffsetNewest)},
	}
	if start.Group != "" {
		queries = append(queries, driver.AdminQuery{Name: "committed", Ask: a.committed})
	}
	a.workload = driver.StartAdminWorkload(out, start, queries, describe)
	return a, nil
}

func (a *admin) listed(time int64) func(int32) (int64, error) {
	return func(partition int32) (int64, error) { return a.library.GetOffset(a.start.Topic, partition, time) }
}

// committed creates an OffsetManager per query, the one way that every version has, with the library's retries.
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
	offset, _ := part.NextOffset() // without a committed offset: Consumer.Offsets.Initial, which is negative
	return max(offset, -1), nil
}

func (a *admin) Close() {
	a.workload.Stop()
	if err := a.library.Close(); err != nil {
		a.out.Notice("close: %v", err)
	}
}
