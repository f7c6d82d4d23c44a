package front

import (
	"maps"
	"slices"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// own answers requests about leaders and replicas, which the front alone knows, and about ACLs; nil for other requests.
func (f *Front) own(req kmsg.Request, broker int32) kmsg.Response {
	switch r := req.(type) {
	case *kmsg.ElectLeadersRequest:
		return f.electLeaders(r)
	case *kmsg.AlterPartitionAssignmentsRequest:
		return f.reassignReplicas(r)
	case *kmsg.DescribeProducersRequest:
		return f.describeProducers(r, broker)
	}
	return refuseACLs(req)
}

// textOf returns the text of an error code; nil for none.
func textOf(code int16) *string {
	if code == 0 {
		return nil
	}
	return kmsg.StringPtr(kerr.TypedErrorForCode(code).Description)
}

// uncleanElection is the type of an election that any replica may win.
const uncleanElection int8 = 1

// electLeaders elects leaders as controllers do. Without topics it is about all, and partitions whose leader stays are
// left out (ReplicationControlManager.electLeaders).
func (f *Front) electLeaders(req *kmsg.ElectLeadersRequest) kmsg.Response {
	f.mu.Lock()
	defer f.mu.Unlock()
	resp := req.ResponseKind().(*kmsg.ElectLeadersResponse)
	if req.ElectionType < 0 || req.ElectionType > uncleanElection {
		resp.ErrorCode = invalidRequest
		return resp
	}
	topics := req.Topics
	if topics == nil {
		topics = f.everyPartition()
	}
	for _, t := range topics {
		row := kmsg.NewElectLeadersResponseTopic()
		row.Topic = t.Topic
		for _, partition := range t.Partitions {
			code := f.electLeader(topicPartition{t.Topic, partition}, req.ElectionType == uncleanElection)
			if req.Topics != nil || code != electionNotNeeded {
				row.Partitions = append(row.Partitions, kmsg.ElectLeadersResponseTopicPartition{
					Partition: partition, ErrorCode: code, ErrorMessage: textOf(code),
				})
			}
		}
		if req.Topics != nil || len(row.Partitions) > 0 {
			resp.Topics = append(resp.Topics, row)
		}
	}
	return resp
}

func (f *Front) everyPartition() (all []kmsg.ElectLeadersRequestTopic) {
	topics := f.newest().Topics
	for _, name := range slices.Sorted(maps.Keys(topics)) {
		topic := kmsg.NewElectLeadersRequestTopic()
		topic.Topic = name
		for p := range topics[name].Partitions {
			topic.Partitions = append(topic.Partitions, int32(p))
		}
		all = append(all, topic)
	}
	return all
}

// electLeader elects the preferred leader, or any leader where there is none, and returns the code of its row.
func (f *Front) electLeader(where topicPartition, unclean bool) int16 {
	top := f.newest()
	p, ok := top.Partition(where.topic, where.partition)
	if !ok {
		return unknownTopic
	}
	to := f.eligibleLeader(top, p, -1)
	switch first := func(b int32) bool { return slices.Index(p.Replicas, b) == 0 }; {
	case unclean && p.Leader > 0, !unclean && first(p.Leader):
		return electionNotNeeded
	case unclean && to == -1:
		return noEligibleLeader
	case !unclean && !first(to):
		return noPreferredLeader
	}
	if err := f.moveLeader(&clusterpb.MoveLeader{Topic: where.topic, Partition: where.partition, To: to}, noHit); err != nil {
		return unknownServerError
	}
	return 0
}

// describeProducers lets the state machine's leader answer for every replica, since any replica of a broker does
// (ReplicaManager.activeProducerState).
func (f *Front) describeProducers(req *kmsg.DescribeProducersRequest, broker int32) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.DescribeProducersResponse)
	for _, t := range req.Topics {
		topic := kmsg.NewDescribeProducersResponseTopic()
		topic.Topic = t.Topic
		for _, partition := range t.Partitions {
			row := f.producersOf(req, topicPartition{t.Topic, partition}, broker)
			row.Partition, row.ErrorMessage = partition, textOf(row.ErrorCode)
			topic.Partitions = append(topic.Partitions, row)
		}
		resp.Topics = append(resp.Topics, topic)
	}
	return resp
}

func (f *Front) producersOf(
	req *kmsg.DescribeProducersRequest, where topicPartition, broker int32,
) (row kmsg.DescribeProducersResponseTopicPartition) {
	row = kmsg.NewDescribeProducersResponseTopicPartition()
	f.mu.Lock()
	p, ok := f.newest().Partition(where.topic, where.partition)
	f.mu.Unlock()
	switch {
	case !ok:
		row.ErrorCode = unknownTopic
		return row
	case !slices.Contains(p.Replicas, broker):
		row.ErrorCode = notLeader
		return row
	}
	asked := *req
	asked.Topics = []kmsg.DescribeProducersRequestTopic{{Topic: where.topic, Partitions: []int32{where.partition}}}
	resp, err := f.backend.Ask(f.backend.Leader(where.topic, where.partition), &asked)
	if err != nil {
		row.ErrorCode = unknownServerError
		return row
	}
	return resp.(*kmsg.DescribeProducersResponse).Topics[0].Partitions[0]
}

// refuseACLs answers as brokers without an authorizer do; nil for requests about other things.
func refuseACLs(req kmsg.Request) kmsg.Response {
	text := kmsg.StringPtr("No Authorizer is configured.")
	switch r := req.(type) {
	case *kmsg.DescribeACLsRequest:
		resp := r.ResponseKind().(*kmsg.DescribeACLsResponse)
		resp.ErrorCode, resp.ErrorMessage = securityDisabled, text
		return resp
	case *kmsg.CreateACLsRequest:
		resp := r.ResponseKind().(*kmsg.CreateACLsResponse)
		for range r.Creations {
			resp.Results = append(resp.Results, kmsg.CreateACLsResponseResult{ErrorCode: securityDisabled, ErrorMessage: text})
		}
		return resp
	case *kmsg.DeleteACLsRequest:
		resp := r.ResponseKind().(*kmsg.DeleteACLsResponse)
		for range r.Filters {
			resp.Results = append(resp.Results, kmsg.DeleteACLsResponseResult{ErrorCode: securityDisabled, ErrorMessage: text})
		}
		return resp
	}
	return nil
}
