package main

import (
	"slices"
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestAShareFetchThatWaitsWhenADiskDiesIsGivenNoRecord: a broker appends nothing to a dead log, so it is answered 56, and
// what it accepted is accepted. Real 4.4.0 answers so. The session goes on.
func TestAShareFetchThatWaitsWhenADiskDiesIsGivenNoRecord(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	id := r.topic("t", 1, 1)
	s := r.sharer(1, id)
	s.fetches([]int32{0, 1})
	r.raw(1).ask(produceTo(9, 1, "t", 0))
	if got := given(s.fetches(nil), 0); !slices.Equal(got, []int64{0}) {
		t.Fatalf("%v", got)
	}
	s.wait = 5 * time.Second
	answered := make(chan *kmsg.ShareFetchResponse, 1)
	go func() { answered <- s.fetches([]int32{0}, 0) }()
	time.Sleep(300 * time.Millisecond) // until it waits
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{{
		Id: "disk", Apis: []int32{78, 79}, Brokers: []int32{1}, Topic: "t", Partitions: []int32{0}, Code: 56,
	}}})
	r.raw(1).ask(produceTo(9, 1, "t", 0)) // by the new leader, whose log the state machine keeps
	resp := <-answered
	if row := rows(resp)[0]; row.ErrorCode != 56 || row.AcknowledgeErrorCode != 0 || len(given(resp, 0)) > 0 || row.Records == nil {
		t.Errorf("%+v", row)
	}
	r.heal()
	s.wait = 0
	if got := given(s.fetches(nil), 0); !slices.Equal(got, []int64{1}) {
		t.Errorf("not given again: %v", got)
	}
	if row := rows(s.fetches([]int32{0}, 1))[0]; row.ErrorCode != 0 || row.AcknowledgeErrorCode != 0 {
		t.Errorf("%+v", row)
	}
	s.epoch = 9
	if got := s.fetches(nil).ErrorCode; got != 123 {
		t.Errorf("another epoch: %d", got)
	}
}
