package main

import (
	"sync"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// admin asks for offsets through Client and OffsetManager, the interfaces that every version has, and the rest through
// ClusterAdmin.
type admin struct {
	library  sarama.Client
	cluster  *clusterAdmin
	out      *driver.Instance
	start    *driverpb.Start
	workload *driver.AdminWorkload
}

func openAdmin(config *sarama.Config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	library, err := sarama.NewClient(start.Bootstrap, config)
	if err != nil {
		return nil, err
	}
	a := &admin{library: library, out: out, start: start, cluster: &clusterAdmin{config: config, start: start}}
	out.Ready(settings(config, start.Role))
	a.workload = driver.StartAdminWorkload(out, start, a.queries(config), a.cluster.questions(), describe)
	return a, nil
}

// queries leaves out what the protocol version of the configuration lacks: ListOffsets v1, which finds a timestamp.
func (a *admin) queries(config *sarama.Config) []driver.AdminQuery {
	queries := []driver.AdminQuery{
		{Name: "latest", Ask: a.listed(func() int64 { return sarama.OffsetNewest })},
		{Name: "earliest", Ask: a.listed(func() int64 { return sarama.OffsetOldest })},
	}
	if config.Version.IsAtLeast(sarama.V0_10_1_0) {
		queries = append(queries, driver.AdminQuery{Name: "timestamp", Ask: a.listed(driver.LookedBack)})
	}
	if a.start.Group != "" {
		queries = append(queries, driver.AdminQuery{Name: "committed", Ask: a.committed})
	}
	return queries
}

func (a *admin) listed(time func() int64) func(int32) (int64, error) {
	return func(partition int32) (int64, error) { return a.library.GetOffset(a.start.Topic, partition, time()) }
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
	for _, closes := range []func() error{a.cluster.close, a.library.Close} {
		if err := closes(); err != nil {
			a.out.Notice("close: %v", err)
		}
	}
}

// clusterAdmin is a ClusterAdmin from the first question on. Its methods came one after the other.
type clusterAdmin struct {
	config *sarama.Config
	start  *driverpb.Start
	mu     sync.Mutex
	opened sarama.ClusterAdmin
}

type describesCluster interface {
	DescribeCluster() ([]*sarama.Broker, int32, error)
}

type describesGroups interface {
	DescribeConsumerGroups(groups []string) ([]*sarama.GroupDescription, error)
}

func (c *clusterAdmin) questions() driver.ClusterQuestions {
	questions := driver.ClusterQuestions{Create: c.create}
	if has[sarama.ClusterAdmin]("DescribeCluster") {
		questions.Describe = c.describe
	}
	if has[sarama.ClusterAdmin]("DescribeConsumerGroups") {
		questions.Group = c.group
	}
	return questions
}

func (c *clusterAdmin) library() (sarama.ClusterAdmin, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opened != nil {
		return c.opened, nil
	}
	opened, err := sarama.NewClusterAdmin(c.start.Bootstrap, c.config)
	if err == nil {
		c.opened = opened
	}
	return opened, err
}

func (c *clusterAdmin) create(topic string) error {
	library, err := c.library()
	if err != nil {
		return err
	}
	return library.CreateTopic(topic, &sarama.TopicDetail{NumPartitions: 1, ReplicationFactor: 1}, true)
}

func (c *clusterAdmin) describe() error {
	library, err := c.library()
	if err != nil {
		return err
	}
	_, _, err = library.(describesCluster).DescribeCluster()
	return err
}

func (c *clusterAdmin) group() error {
	library, err := c.library()
	if err != nil {
		return err
	}
	groups, err := library.(describesGroups).DescribeConsumerGroups([]string{c.start.Group})
	for _, group := range groups {
		if group.Err != sarama.ErrNoError {
			return group.Err
		}
	}
	return err
}

func (c *clusterAdmin) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opened == nil {
		return nil
	}
	return c.opened.Close()
}
