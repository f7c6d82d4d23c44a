package driver

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

func keyedStart() *driverpb.Start {
	return &driverpb.Start{Role: "producer", Workload: Keyed, Keys: []string{"a", "b", "c"}, Partitions: []int32{0, 1}}
}

func TestRecordsOfAKeyAreAsFarApartAsThereAreKeys(t *testing.T) {
	start := keyedStart()
	want := []Place{{NoPartition, 6}, {NoPartition, 7}, {NoPartition, 8}}
	if got := InTransaction(start, 2); !slices.Equal(got, want) {
		t.Fatal(got)
	}
	if key := string(Key(start, 7)); key != "b" {
		t.Fatal(key)
	}
}

func TestATransactionHasABatchOfEveryPartition(t *testing.T) {
	start := &driverpb.Start{Workload: Pipelined, Batch: 2, Partitions: []int32{0, 1}}
	if got, want := InTransaction(start, 3), []Place{{0, 6}, {1, 6}, {0, 7}, {1, 7}}; !slices.Equal(got, want) {
		t.Fatal(got)
	}
	start.Workload = ""
	if got, want := InTransaction(start, 3), []Place{{0, 3}, {1, 3}}; !slices.Equal(got, want) {
		t.Fatal(got)
	}
	if Key(start, 3) != nil {
		t.Fatal("a record without a key has one")
	}
}

func TestABurstBeginsAsAWholeOrNotAtAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := &driverpb.Start{
			Instance: "a", IntervalMs: 1, MaxInFlight: 3, Partitions: []int32{0}, Bystander: -1, Workload: Pipelined, Batch: 2,
		}
		instance, _ := instanceWith(start)
		begun, release := make(chan int64, 8), make(chan func(), 8)
		w := StartWorkload(instance, start, func(_ int32, sequence int64, ended func()) bool {
			begun <- sequence
			release <- ended
			return true
		})
		defer w.Stop()
		first := []int64{<-begun, <-begun}
		time.Sleep(20 * time.Millisecond)
		if len(begun) != 0 {
			t.Fatal("a part of a burst began")
		}
		(<-release)()
		if got := append(first, <-begun, <-begun); !slices.Equal(got, []int64{0, 1, 2, 3}) {
			t.Fatal(got)
		}
	})
}

func TestABurstMayBeLargerThanTheLimit(t *testing.T) {
	start := &driverpb.Start{
		Instance: "a", IntervalMs: 1, MaxInFlight: 1, Partitions: []int32{0}, Bystander: -1, Workload: Pipelined, Batch: 2,
	}
	instance, _ := instanceWith(start)
	begun := make(chan int64, 2)
	w := StartWorkload(instance, start, func(_ int32, sequence int64, _ func()) bool {
		begun <- sequence
		return true
	})
	defer w.Stop()
	if got := []int64{<-begun, <-begun}; !slices.Equal(got, []int64{0, 1}) {
		t.Fatal(got)
	}
}

func TestWorkloadsThatARoleLacksAreUnsupported(t *testing.T) {
	refused := func(role, workload string, missing ...MissingWorkload) bool {
		_, yes := checkWorkload("x", &driverpb.Start{Role: role, Workload: workload}, missing).(Unsupported)
		return yes
	}
	got := []bool{
		refused("producer", "flood"), refused("consumer", Keyed), refused("admin", Pipelined),
		refused("producer", Keyed, MissingWorkload{Keyed, "why"}), refused("admin", ""), refused("group", Pipelined),
	}
	if want := []bool{true, true, true, true, false, false}; !slices.Equal(got, want) {
		t.Fatal(got)
	}
}
