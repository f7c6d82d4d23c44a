package driver

import (
	"slices"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// Names of the workloads of driver.proto.
const (
	Continuous = "continuous"
	Pipelined  = "pipelined"
	Keyed      = "keyed"
)

// NoPartition is the partition of a record that the library chooses a partition for.
const NoPartition int32 = -1

// loads lists the roles that have each workload; admin has the first one alone, and readers write no keys.
var loads = map[string][]string{
	Continuous: {"producer", "consumer", "group", "transactional", "admin", "share"},
	Pipelined:  {"producer", "consumer", "group", "transactional", "share"},
	Keyed:      {"producer", "transactional"},
}

// MissingWorkload is a workload that a version of a library cannot have.
type MissingWorkload struct{ Workload, Reason string }

// workloadOf returns the name of the workload of an instance.
func workloadOf(start *driverpb.Start) string {
	if start.Workload == "" {
		return Continuous
	}
	return start.Workload
}

// checkWorkload returns Unsupported for a workload that does not exist, or that the role or this driver does not have.
func checkWorkload(client string, start *driverpb.Start, missing []MissingWorkload) error {
	workload := workloadOf(start)
	for _, one := range missing {
		if one.Workload == workload {
			return Refuse("%s has no workload %s: %s", client, workload, one.Reason)
		}
	}
	if !slices.Contains(loads[workload], start.Role) {
		return Refuse("%s has no workload %q for the role %q", client, workload, start.Role)
	}
	return nil
}

// IsKeyed reports whether the library chooses the partition of a record by its key.
func IsKeyed(start *driverpb.Start) bool { return start.Workload == Keyed && len(start.Keys) > 0 }

// Key returns the key of a record; nil without one.
func Key(start *driverpb.Start, sequence int64) []byte {
	if !IsKeyed(start) {
		return nil
	}
	return []byte(start.Keys[sequence%int64(len(start.Keys))])
}

// series are operations with consecutive numbers: those of one partition, or of one key.
type series struct {
	partition   int32
	first, step int64 // the first sequence number, and the difference between two
	batch       int   // operations that begin together
}

func seriesOf(start *driverpb.Start) []series {
	var all []series
	if IsKeyed(start) {
		for k := range start.Keys {
			all = append(all, series{NoPartition, int64(k), int64(len(start.Keys)), 1})
		}
		return all
	}
	for _, partition := range start.Partitions {
		all = append(all, series{partition, 0, 1, batchOf(start)})
	}
	return all
}

// alone returns a series of single operations for every pseudo-partition.
func alone(partitions []int32) []series {
	var all []series
	for _, partition := range partitions {
		all = append(all, series{partition, 0, 1, 1})
	}
	return all
}

func batchOf(start *driverpb.Start) int {
	if start.Workload != Pipelined {
		return 1
	}
	return int(max(start.Batch, 1))
}

// Place is the partition and the sequence number of a record.
type Place struct {
	Partition int32
	Sequence  int64
}

// InTransaction lists the records of a transaction, by its number.
func InTransaction(start *driverpb.Start, number int64) []Place {
	var all []Place
	each := seriesOf(start)
	for member := range int64(batchOf(start)) {
		for _, s := range each {
			all = append(all, Place{s.partition, s.first + (number*int64(s.batch)+member)*s.step})
		}
	}
	return all
}
