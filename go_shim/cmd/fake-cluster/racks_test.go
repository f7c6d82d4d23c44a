package main

import (
	"context"
	"slices"
	"testing"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func racks(names ...string) *clusterpb.Change {
	return &clusterpb.Change{Change: &clusterpb.Change_Racks{Racks: &clusterpb.Racks{Names: names}}}
}

func failReplica(broker int32, lags bool) *clusterpb.Fault {
	failed := &clusterpb.FailReplica{Topic: "t", Broker: broker, Lags: lags}
	change := &clusterpb.Change{Change: &clusterpb.Change_FailReplica{FailReplica: failed}}
	return &clusterpb.Fault{Changes: []*clusterpb.Timed{{Change: change, FromStart: true}}}
}

// read asks a broker for the first record as a reader in a rack, and waits for up to `waitMs`.
func (r *rig) read(broker int32, version int16, rack string, waitMs int32) kmsg.FetchResponseTopicPartition {
	r.t.Helper()
	req := fetchFrom(version, waitMs, -1, "t", 0)
	req.Rack = rack
	return fetchRows(r.raw(broker).ask(req))[0]
}

// inRacks starts brokers in racks a, b and c; broker 1 leads a partition with one record.
func inRacks(t *testing.T, line string) *rig {
	t.Helper()
	r := start(t, line)
	r.apply(racks("a", "b", "c"))
	r.topic("t", 1)
	r.raw(1).ask(produceTo(7, -1, "t", 0))
	return r
}

// TestTheLeaderSendsReadersToTheFollowerInTheirRack follows RackAwareReplicaSelector, read in 3.9.2.
func TestTheLeaderSendsReadersToTheFollowerInTheirRack(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name    string
		line    string
		broker  int32
		version int16
		rack    string
		want    int32
		records bool
	}{
		{"the follower's rack", "3.9", 1, 11, "c", 3, false}, {"another follower's", "3.9", 1, 11, "b", 2, false},
		{"the leader's own", "3.9", 1, 11, "a", -1, true}, {"a rack without brokers", "3.9", 1, 11, "d", -1, true},
		{"no rack", "3.9", 1, 11, "", -1, true}, {"a request that has none", "3.9", 1, 10, "", -1, true},
		{"at the follower", "3.9", 3, 11, "c", -1, true}, {"an older release", "2.3", 1, 11, "c", -1, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			row := inRacks(t, x.line).read(x.broker, x.version, x.rack, neverMs)
			if row.ErrorCode != 0 || row.PreferredReadReplica != x.want || (len(row.RecordBatches) > 0) != x.records {
				t.Errorf("%d bytes, replica %d, error %d", len(row.RecordBatches), row.PreferredReadReplica, row.ErrorCode)
			}
		})
	}
}

// TestNobodyIsSentAwayWithoutRacks: the brokers of every other cell have none.
func TestNobodyIsSentAwayWithoutRacks(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	r.raw(1).ask(produceTo(7, -1, "t", 0))
	if row := r.read(1, 11, "c", neverMs); row.PreferredReadReplica != -1 || len(row.RecordBatches) == 0 {
		t.Errorf("%+v", row)
	}
	for _, broker := range r.raw(1).ask(metadataOf("t")).(*kmsg.MetadataResponse).Brokers {
		if broker.Rack != nil {
			t.Errorf("broker %d has rack %s", broker.NodeID, *broker.Rack)
		}
	}
}

func TestMetadataNamesTheRacks(t *testing.T) {
	t.Parallel()
	r := inRacks(t, "3.9")
	found := map[int32]string{}
	for _, broker := range r.raw(2).ask(metadataOf("t")).(*kmsg.MetadataResponse).Brokers {
		found[broker.NodeID] = *broker.Rack
	}
	if found[1] != "a" || found[2] != "b" || found[3] != "c" {
		t.Error(found)
	}
}

// TestAFollowerOutOfSync gets no reader any more; one that lags serves those that it has, without new records.
func TestAFollowerOutOfSync(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name    string
		lags    bool
		code    int16
		offline []int32
	}{{"its log dir failed", false, 6, []int32{3}}, {"it lags", true, 0, []int32{}}} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			r := inRacks(t, "3.9")
			r.inject(failReplica(3, x.lags))
			if row := r.read(1, 11, "c", neverMs); row.PreferredReadReplica != -1 || len(row.RecordBatches) == 0 {
				t.Errorf("the leader: %+v", row)
			}
			if row := r.read(3, 11, "c", 0); row.ErrorCode != x.code || len(row.RecordBatches) > 0 {
				t.Errorf("the follower: %+v", row)
			}
			_, row := firstPartition(r.raw(1).ask(metadataOf("t")))
			if !slices.Equal(row.ISR, []int32{1, 2}) || !slices.Equal(row.OfflineReplicas, x.offline) {
				t.Errorf("in sync %v, offline %v", row.ISR, row.OfflineReplicas)
			}
			r.heal()
			expect(t, "the replica after the revert", int16(r.read(1, 11, "c", neverMs).PreferredReadReplica), 3)
		})
	}
}

func TestRacksThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	for _, change := range []*clusterpb.Change{
		racks("a", "b"), racks("a", "", "c"),
		failReplica(1, false).Changes[0].Change, failReplica(4, false).Changes[0].Change,
	} {
		if _, err := r.Apply(context.Background(), change); err == nil {
			t.Errorf("%v was taken", change)
		}
	}
}
