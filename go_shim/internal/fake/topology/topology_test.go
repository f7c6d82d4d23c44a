package topology

import (
	"slices"
	"testing"
	"time"
)

func TestShown(t *testing.T) {
	t.Parallel()
	start := time.Unix(1000, 0)
	list := []*Topology{{At: start}, {At: start.Add(time.Second)}, {At: start.Add(2 * time.Second)}}
	cases := []struct {
		name string
		view View
		at   time.Duration
		want int
	}{
		{"the newest", View{}, 3 * time.Second, 2},
		{"at its own moment", View{}, 2 * time.Second, 2},
		{"lagging", View{Lag: 1500 * time.Millisecond}, 3 * time.Second, 1},
		{"lag is over", View{Lag: 1500 * time.Millisecond}, 3500 * time.Millisecond, 2},
		{"fell behind only now", View{Lag: time.Hour, Since: start.Add(time.Second)}, 3 * time.Second, 1},
		{"older than everything", View{Lag: time.Hour}, 3 * time.Second, 0},
		{"frozen", View{Frozen: start.Add(1100 * time.Millisecond)}, time.Hour, 1},
	}
	for _, c := range cases {
		if got := Shown(list, c.view, start.Add(c.at)); got != list[c.want] {
			t.Errorf("%s: shows the topology of %v", c.name, got.At)
		}
	}
}

func TestNextDoesNotChangeThePublishedTopology(t *testing.T) {
	t.Parallel()
	was := (&Topology{}).Next()
	was.Topics["t"] = Topic{ID: [16]byte{1}, Partitions: []Partition{{Leader: 1}}}
	next := was.Next()
	next.Topics["t"].Partitions[0].Leader = 2
	next.Coordinators[Key{Name: "g"}] = 3
	if was.Topics["t"].Partitions[0].Leader != 1 || len(was.Coordinators) != 0 {
		t.Error("the published topology changed")
	}
	if next.NameOf([16]byte{1}) != "t" || next.NameOf([16]byte{2}) != "" {
		t.Error("topic ids")
	}
}

func TestReplicasInSync(t *testing.T) {
	t.Parallel()
	top := &Topology{Gone: []int32{3}}
	p := Partition{Replicas: []int32{2, 1, 3}, Offline: []int32{1}}
	if got := top.ISR(p); !slices.Equal(got, []int32{2}) {
		t.Errorf("in sync: %v", got)
	}
	if got := top.Offline(p); !slices.Equal(got, []int32{1, 3}) {
		t.Errorf("offline: %v", got)
	}
	if !slices.Equal(p.Replicas, []int32{2, 1, 3}) || !slices.Equal(top.Living(), []int32{1, 2}) {
		t.Error("replicas or live brokers changed")
	}
}

func TestEndOf(t *testing.T) {
	t.Parallel()
	p := Partition{Terms: []Term{{1, 0}, {2, 6}, {5, 9}}}
	cases := []struct {
		asked, term int32
		end         int64
		ok          bool
	}{{0, 0, 0, true}, {1, 1, 6, true}, {2, 2, 9, true}, {4, 2, 9, true}, {5, -1, -1, false}, {6, -1, -1, false}}
	for _, c := range cases {
		if term, end, ok := p.EndOf(c.asked); term != c.term || end != c.end || ok != c.ok {
			t.Errorf("epoch %d: %d, %d, %v", c.asked, term, end, ok)
		}
	}
}
