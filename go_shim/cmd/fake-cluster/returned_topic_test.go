package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A topic that comes back with longer logs is readable at the end of its old ones at once.
func TestATopicComesBackWithLongerLogs(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	_, err := r.CreateTopic(context.Background(), &clusterpb.CreateTopicRequest{
		Topic: "t", Partitions: []*clusterpb.Assignment{{Leader: 1, Records: 5}, {Leader: 2, Records: 3}},
	})
	fatal(t, err)
	change := func(c *clusterpb.TopicChange) {
		r.apply(&clusterpb.Change{Change: &clusterpb.Change_Topic{Topic: c}})
	}
	change(&clusterpb.TopicChange{Topic: "t", What: clusterpb.TopicChange_DELETE})
	change(&clusterpb.TopicChange{Topic: "t", What: clusterpb.TopicChange_RECREATE, LongerBy: 4})
	stored, err := r.ReadBack(context.Background(), &clusterpb.Topic{Topic: "t"})
	fatal(t, err)
	counts := map[int32]int64{}
	for _, record := range stored.Records {
		var partition, number, clock int64
		if _, err := fmt.Sscanf(record.Value, "feed %d %d %d", &partition, &number, &clock); err != nil {
			t.Errorf("%q: %v", record.Value, err)
		}
		if record.Offset != counts[record.Partition] || number != 1_000_000+record.Offset {
			t.Errorf("partition %d: %q at %d", record.Partition, record.Value, record.Offset)
		}
		counts[record.Partition]++
	}
	if counts[0] != 9 || counts[1] != 7 {
		t.Errorf("records per partition: %v", counts)
	}
	for _, p := range r.raw(3).ask(metadataOf("t")).(*kmsg.MetadataResponse).Topics[0].Partitions {
		if p.Leader != []int32{1, 2}[p.Partition] {
			t.Errorf("partition %d is led by %d", p.Partition, p.Leader)
		}
	}
}
