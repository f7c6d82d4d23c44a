package main

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"testing"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func limitVersions(highest int32, malformed bool) *clusterpb.Change {
	limit := &clusterpb.LimitVersions{Highest: highest, Malformed: malformed}
	return &clusterpb.Change{Change: &clusterpb.Change_LimitVersions{LimitVersions: limit}}
}

func versionsRequest(version int16) *kmsg.ApiVersionsRequest {
	req := kmsg.NewPtrApiVersionsRequest()
	req.Version = version
	return req
}

// highestVersions returns the highest ApiVersions version that a broker advertises.
func highestVersions(r *rig) int16 {
	for _, api := range r.raw(2).ask(versionsRequest(2)).(*kmsg.ApiVersionsResponse).ApiKeys {
		if api.ApiKey == int16(kmsg.ApiVersions) {
			return api.MaxVersion
		}
	}
	return -1
}

func TestALimitOfApiVersionsClosesTheConnectionUntilHealed(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	before := highestVersions(r)
	r.inject(&clusterpb.Fault{Changes: []*clusterpb.Timed{{Change: limitVersions(2, false), FromStart: true}}})
	for _, version := range []int16{3, 4, 5} {
		c := r.raw(1)
		c.send(versionsRequest(version))
		if _, err := c.receive(versionsRequest(version), waitLimit); !errors.Is(err, io.EOF) {
			t.Errorf("version %d: %v, want the connection closed", version, err)
		}
	}
	if got := highestVersions(r); got != 2 {
		t.Errorf("it advertises %d, want 2", got)
	}
	r.heal()
	if got := highestVersions(r); got != before || before <= 2 {
		t.Errorf("healed: %d, want %d", got, before)
	}
}

// TestAMalformedRefusalFitsNoVersion checks the bytes that librdkafka's mock cluster sends (2.16).
func TestAMalformedRefusalFitsNoVersion(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.apply(limitVersions(2, true))
	c := r.raw(1)
	c.send(versionsRequest(4))
	frame, err := wire.ReadFrame(c.conn)
	fatal(t, err)
	if got := hex.EncodeToString(frame[4:]); got != "0023"+"01"+"001200000002"+"00000000" {
		t.Errorf("%s", got)
	}
	if resp := c.ask(versionsRequest(2)).(*kmsg.ApiVersionsResponse); resp.ErrorCode != 0 || len(resp.ApiKeys) < 10 {
		t.Errorf("version 2: %+v", resp)
	}
}

func TestALimitBelowZeroIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := start(t, "3.9").Apply(context.Background(), limitVersions(-1, false)); err == nil {
		t.Error("it was accepted")
	}
}

// TestAnErrorOfApiVersionsIsForClientsThatNameANode: connections to addresses of the configuration name none (KIP-1242).
func TestAnErrorOfApiVersionsIsForClientsThatNameANode(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	id := *r.raw(2).ask(metadataOf()).(*kmsg.MetadataResponse).ClusterID
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{
		{Apis: []int32{int32(kmsg.ApiVersions)}, Brokers: []int32{2}, Code: 129, MinVersion: 5, WithEpoch: true},
	}})
	named := apiVersions(5)
	named.ClusterID, named.NodeID = &id, 2
	elsewhere := apiVersions(5)
	elsewhere.ClusterID, elsewhere.NodeID = &id, 3
	expect(t, "named", r.raw(2).ask(named).(*kmsg.ApiVersionsResponse).ErrorCode, 129)
	expect(t, "no node named", r.raw(2).ask(apiVersions(5)).(*kmsg.ApiVersionsResponse).ErrorCode, 0)
	expect(t, "another broker", r.raw(3).ask(elsewhere).(*kmsg.ApiVersionsResponse).ErrorCode, 0)
	r.heal()
	expect(t, "healed", r.raw(2).ask(named).(*kmsg.ApiVersionsResponse).ErrorCode, 0)
}
