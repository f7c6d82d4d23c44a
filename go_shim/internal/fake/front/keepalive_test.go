package front

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// member joins group g with a session of 6 s and sends nothing afterwards.
func member(t *testing.T, f *Front) {
	t.Helper()
	pipe, err := f.backend.Dial(f.backend.CoordinatorOf("g"), &net.TCPAddr{}, "member")
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	join := kmsg.NewPtrJoinGroupRequest()
	join.Version, join.Group, join.ProtocolType = 3, "g", "consumer"
	join.SessionTimeoutMillis, join.RebalanceTimeoutMillis = 6000, 30_000
	join.Protocols = []kmsg.JoinGroupRequestProtocol{{Name: "range"}}
	resp, err := pipe.Ask(join)
	if err != nil {
		t.Fatal(err)
	}
	joined := resp.(*kmsg.JoinGroupResponse)
	sync := kmsg.NewPtrSyncGroupRequest()
	sync.Group, sync.Generation, sync.MemberID = "g", joined.Generation, joined.MemberID
	if resp, err := pipe.Ask(sync); err != nil || resp.(*kmsg.SyncGroupResponse).ErrorCode != 0 {
		t.Fatalf("%+v, %v", resp, err)
	}
}

// TestAJoinGroupV0MemberSyncsWithinItsSession, since v0 of JoinGroup has no rebalance timeout.
func TestAJoinGroupV0MemberSyncsWithinItsSession(t *testing.T) {
	withFront(t, func(t *testing.T, f *Front) {
		pipe, err := f.backend.Dial(f.backend.CoordinatorOf("g"), &net.TCPAddr{}, "member")
		if err != nil {
			t.Fatal(err)
		}
		defer pipe.Close()
		join := kmsg.NewPtrJoinGroupRequest()
		join.Version, join.Group, join.ProtocolType, join.SessionTimeoutMillis = 0, "g", "consumer", 6000
		join.Protocols = []kmsg.JoinGroupRequestProtocol{{Name: "range"}}
		resp, err := pipe.Ask(join)
		if err != nil || resp.GetVersion() != 0 {
			t.Fatalf("%+v, %v", resp, err)
		}
		time.Sleep(5 * time.Second)
		joined := resp.(*kmsg.JoinGroupResponse)
		sync := kmsg.NewPtrSyncGroupRequest()
		sync.Version, sync.Group, sync.Generation, sync.MemberID = 0, "g", joined.Generation, joined.MemberID
		if resp, err := pipe.Ask(sync); err != nil || resp.(*kmsg.SyncGroupResponse).ErrorCode != 0 {
			t.Fatalf("%+v, %v", resp, err)
		}
	})
}

// TestAMemberSurvivesTheAbsenceOfItsCoordinator, and expires otherwise.
func TestAMemberSurvivesTheAbsenceOfItsCoordinator(t *testing.T) {
	for _, c := range []struct {
		goneMs  int32
		members int
	}{{9000, 1}, {0, 0}} {
		withFront(t, func(t *testing.T, f *Front) {
			to := f.CoordinatorOf(0, "g")%3 + 1
			member(t, f)
			move := &clusterpb.MoveCoordinator{Key: "g", To: to, GoneMs: c.goneMs}
			if _, err := f.Apply(&clusterpb.Change{Change: &clusterpb.Change_MoveCoordinator{MoveCoordinator: move}}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(9500 * time.Millisecond)
			synctest.Wait()
			if got := len(f.backend.Group("g").Members); got != c.members {
				t.Errorf("gone for %d ms: %d members, want %d", c.goneMs, got, c.members)
			}
		})
	}
}

// TestAMemberOfTheNewProtocolSurvivesTheAbsenceOfItsCoordinator beyond its session of 45 s (KIP-848), and expires
// otherwise. It keeps its epoch.
func TestAMemberOfTheNewProtocolSurvivesTheAbsenceOfItsCoordinator(t *testing.T) {
	for _, c := range []struct {
		goneMs int32
		stays  bool
	}{{50_000, true}, {0, false}} {
		withLine(t, "4.4", func(t *testing.T, f *Front) {
			to := f.CoordinatorOf(0, "g")%3 + 1
			join := kmsg.NewPtrConsumerGroupHeartbeatRequest()
			join.Version, join.Group, join.MemberID, join.RebalanceTimeoutMillis = 1, "g", "a", 30_000
			join.SubscribedTopicNames, join.Topics = []string{"t"}, []kmsg.ConsumerGroupHeartbeatRequestTopic{}
			resp, err := f.backend.Ask(f.backend.CoordinatorOf("g"), join)
			if err != nil || resp.(*kmsg.ConsumerGroupHeartbeatResponse).ErrorCode != 0 {
				t.Fatalf("%+v, %v", resp, err)
			}
			move := &clusterpb.MoveCoordinator{Key: "g", To: to, GoneMs: c.goneMs}
			if _, err := f.Apply(&clusterpb.Change{Change: &clusterpb.Change_MoveCoordinator{MoveCoordinator: move}}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Second)
			synctest.Wait()
			epoch, stays := f.backend.Epoch("g", "a")
			if stays != c.stays || stays && epoch != resp.(*kmsg.ConsumerGroupHeartbeatResponse).MemberEpoch {
				t.Errorf("gone for %d ms: %v, epoch %d", c.goneMs, stays, epoch)
			}
		})
	}
}
