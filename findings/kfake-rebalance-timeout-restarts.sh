#!/usr/bin/env bash
# kfake (franz-go's fake cluster, 01f206a7e32c): each JoinGroup of another member begins the rebalance timeout anew.
#
# A group of the classic protocol waits for members that do not join again for the longest rebalance timeout of its
# members. In Kafka 3.9 that time runs from the first JoinGroup of the rebalance (GroupCoordinator.scala, prepareRebalance
# makes one DelayedJoin); kfake stops its timer and starts it again with every JoinGroup (groups.go, rebalance). A client
# that gives up a JoinGroup and tries again sooner than that is never answered while a member stays away.
#
# Expected: the same time in both cases. Seen 2026-11-29 with kfake 01f206a7e32c and franz-go's kmsg, rebalance timeout 4 s, a
# first member that does not join again, and a second one that waits for its answer:
#   nobody else joins: answered after 4 s
#   others join 3 and 6 s later: answered after 10 s
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > go.mod <<'MOD'
module try

go 1.26
MOD

cat > main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func client(brokers []string) *kgo.Client {
	made, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.MaxVersions(kversion.V2_0_0()))
	must(err)
	return made
}

func join(brokers []string, group string) *kmsg.JoinGroupResponse {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	mine := client(brokers)
	defer mine.Close()
	request := kmsg.NewPtrJoinGroupRequest()
	request.Group, request.ProtocolType = group, "consumer"
	request.SessionTimeoutMillis, request.RebalanceTimeoutMillis = 45_000, 4_000
	request.Protocols = []kmsg.JoinGroupRequestProtocol{{Name: "range"}}
	answer, err := request.RequestWith(ctx, mine)
	must(err)
	return answer
}

func try(brokers []string, group string, later ...time.Duration) float64 {
	first := join(brokers, group)
	leader := client(brokers)
	defer leader.Close()
	sync := kmsg.NewPtrSyncGroupRequest()
	sync.Group, sync.Generation, sync.MemberID = group, first.Generation, first.MemberID
	sync.GroupAssignment = []kmsg.SyncGroupRequestGroupAssignment{{MemberID: first.MemberID}}
	_, err := sync.RequestWith(context.Background(), leader)
	must(err)
	for _, wait := range later {
		time.AfterFunc(wait, func() { join(brokers, group) })
	}
	begun := time.Now()
	join(brokers, group)
	return math.Round(time.Since(begun).Seconds())
}

func main() {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	must(err)
	defer cluster.Close()
	brokers := cluster.ListenAddrs()
	found := []string{
		fmt.Sprintf("nobody else joins: answered after %v s", try(brokers, "alone")),
		fmt.Sprintf("others join 3 and 6 s later: answered after %v s",
			try(brokers, "others", 3*time.Second, 6*time.Second)),
	}
	for _, line := range found {
		fmt.Println(line)
	}
	if !slices.Equal(found, []string{
		"nobody else joins: answered after 4 s", "others join 3 and 6 s later: answered after 10 s",
	}) {
		fmt.Println("changed: look again")
		os.Exit(1)
	}
}
GO

go get github.com/twmb/franz-go/pkg/kfake@v0.0.0-20260918054303-01f206a7e32c github.com/twmb/franz-go@v1.22.3 2> /dev/null
go run . 2> log || { tail -n 1 log >&2; exit 1; }
