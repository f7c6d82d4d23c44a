package main

import (
	"encoding/base64"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestAnyReplicaDescribesProducers: `kafka-transactions find-hanging` asks each broker about its replicas.
func TestAnyReplicaDescribesProducers(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.raw(1).ask(assigned("t", []int32{1, 2}))
	producer := newInstance(r, "x")
	expect(t, "its partition", producer.add(0, "t", 0), 0)
	expect(t, "its write", producer.produce(9, "t", 0), 0)
	ask := func(broker, partition int32) kmsg.DescribeProducersResponseTopicPartition {
		req := kmsg.NewPtrDescribeProducersRequest()
		req.Topics = []kmsg.DescribeProducersRequestTopic{{Topic: "t", Partitions: []int32{partition}}}
		return r.raw(broker).ask(req).(*kmsg.DescribeProducersResponse).Topics[0].Partitions[0]
	}
	for _, broker := range []int32{1, 2} {
		row := ask(broker, 0)
		if row.ErrorCode != 0 || len(row.ActiveProducers) != 1 {
			t.Errorf("broker %d: %+v", broker, row)
			continue
		}
		if found := row.ActiveProducers[0]; found.ProducerID != producer.id || found.LastSequence != 0 || found.CurrentTxnStartOffset != 0 {
			t.Errorf("broker %d: %+v", broker, found)
		}
	}
	expect(t, "a broker without a replica", ask(3, 0).ErrorCode, 6)
	expect(t, "an unknown partition", ask(1, 7).ErrorCode, 3)
}

// TestKraftBrokersDescribeTopics: from 3.8 on (KIP-966), and list resources of client metrics from 3.7 on (KIP-1000).
func TestKraftBrokersDescribeTopics(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]int16{"2.6": nil, "3.6": nil, "3.7": {74}, "3.9": {74, 75}, "4.4": {74, 75}} {
		r, found := start(t, line), []int16(nil)
		ranges := r.ranges()
		for _, api := range []int16{74, 75} {
			if _, ok := ranges[api]; ok {
				found = append(found, api)
			}
		}
		if !slices.Equal(found, want) {
			t.Errorf("%s: %v, want %v", line, found, want)
		}
		if !slices.Contains(found, 75) {
			continue
		}
		r.topic("t", 1)
		r.apply(leaderChange(moveLeader("t", 0, 2)))
		req := kmsg.NewPtrDescribeTopicPartitionsRequest()
		req.ResponsePartitionLimit = 100
		req.Topics = []kmsg.DescribeTopicPartitionsRequestTopic{{Topic: "t"}}
		row := r.raw(3).ask(req).(*kmsg.DescribeTopicPartitionsResponse).Topics[0].Partitions[0]
		if row.LeaderID != 2 || !slices.Equal(row.Replicas, []int32{1, 2, 3}) || row.EligibleLeaderReplicas == nil || row.LastKnownELR == nil {
			t.Errorf("%s: %+v", line, row)
		}
		if list := r.raw(3).ask(kmsg.NewPtrListConfigResourcesRequest()).(*kmsg.ListConfigResourcesResponse); list.ErrorCode != 0 || len(list.ConfigResources) != 0 {
			t.Errorf("%s: %+v", line, list)
		}
	}
}

// TestTheClustersId has the form of real ones, and clients that say it in ApiVersions are served (KIP-1242).
func TestTheClustersId(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	id := *r.raw(1).ask(metadataOf()).(*kmsg.MetadataResponse).ClusterID
	if raw, err := base64.RawURLEncoding.DecodeString(id); err != nil || len(raw) != 16 || id[0] == '-' {
		t.Errorf("%q: %v", id, err)
	}
	if other := r.raw(2).ask(kmsg.NewPtrDescribeClusterRequest()).(*kmsg.DescribeClusterResponse).ClusterID; other != id {
		t.Errorf("%q and %q", id, other)
	}
	for said, want := range map[string]int16{id: 0, "another": 129} {
		req := apiVersions(5)
		req.ClusterID, req.NodeID = &said, 2
		expect(t, said, r.raw(2).ask(req).(*kmsg.ApiVersionsResponse).ErrorCode, want)
	}
}

func TestBrokersWithoutAnAuthorizerRefuseACLs(t *testing.T) {
	t.Parallel()
	c := start(t, "3.9").raw(1)
	describe := kmsg.NewPtrDescribeACLsRequest()
	expect(t, "DescribeACLs", c.ask(describe).(*kmsg.DescribeACLsResponse).ErrorCode, 54)
	create := kmsg.NewPtrCreateACLsRequest()
	create.Creations = make([]kmsg.CreateACLsRequestCreation, 2)
	if rows := c.ask(create).(*kmsg.CreateACLsResponse).Results; len(rows) != 2 || rows[1].ErrorCode != 54 {
		t.Errorf("CreateACLs: %+v", rows)
	}
	remove := kmsg.NewPtrDeleteACLsRequest()
	remove.Filters = make([]kmsg.DeleteACLsRequestFilter, 1)
	if rows := c.ask(remove).(*kmsg.DeleteACLsResponse).Results; len(rows) != 1 || rows[0].ErrorCode != 54 {
		t.Errorf("DeleteACLs: %+v", rows)
	}
}
