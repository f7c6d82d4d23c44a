package main

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestFramesThatABrokerDoesNotServe close their connection and change nothing else: an unknown key would crash the
// state machine, and a huge frame would block it.
func TestFramesThatABrokerDoesNotServe(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	header := func(api, version byte) []byte {
		return []byte{0, 0, 0, 14, api >> 4, api << 4, 0, version, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}
	}
	for name, frame := range map[string][]byte{
		"unknown API key":      {0, 0, 0, 10, 0x27, 0x0f, 0, 0, 0, 0, 0, 1, 0, 0},
		"4 GiB":                {0xff, 0xff, 0xff, 0xff},
		"over 100 MiB":         {0x06, 0x40, 0x00, 0x01},
		"2 bytes":              {0, 0, 0, 2, 0, 3},
		"unsupported version":  {0, 0, 0, 10, 0, 3, 0, 99, 0, 0, 0, 1, 0, 0},
		"inter-broker API":     {0, 0, 0, 10, 0, 4, 0, 0, 0, 0, 0, 1, 0, 0},
		"body that is no body": header(0, 0),
	} {
		c := r.raw(1)
		_, err := c.conn.Write(frame)
		fatal(t, err)
		fatal(t, c.conn.SetReadDeadline(time.Now().Add(time.Second)))
		if n, err := c.conn.Read(make([]byte, 1)); n != 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: read %d bytes, %v; want it closed", name, n, err)
		}
	}
	r.raw(1).ask(metadataOf())
}

func TestApiVersionsOfAnUnknownVersion(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	c := r.raw(1)
	_, err := c.conn.Write([]byte{0, 0, 0, 12, 0, 18, 0, 99, 0, 0, 0, 1, 0, 0, 0, 0xff}) // a body that cannot be parsed
	fatal(t, err)
	resp, err := c.receive(kmsg.NewPtrApiVersionsRequest(), waitLimit)
	fatal(t, err)
	answer := resp.(*kmsg.ApiVersionsResponse)
	if answer.ErrorCode != 35 || len(answer.ApiKeys) != 1 || answer.ApiKeys[0].ApiKey != 18 || answer.ApiKeys[0].MaxVersion != 4 {
		t.Errorf("%+v", answer)
	}
	c.ask(kmsg.NewPtrApiVersionsRequest()) // on the same connection
}

func apiVersions(version int16) *kmsg.ApiVersionsRequest {
	req := kmsg.NewPtrApiVersionsRequest()
	req.Version, req.ClientSoftwareName, req.ClientSoftwareVersion = version, "raw", "1"
	return req
}

func TestFeaturesOfMinimumZeroAreForNewClientsOnly(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	zero := func(version int16) bool {
		features := r.raw(1).ask(apiVersions(version)).(*kmsg.ApiVersionsResponse).SupportedFeatures
		if len(features) == 0 {
			t.Errorf("v%d: no features at all", version)
		}
		return slices.ContainsFunc(features, func(f kmsg.ApiVersionsResponseSupportedFeature) bool { return f.MinVersion == 0 })
	}
	if zero(3) || !zero(4) {
		t.Errorf("minimum 0: v3 %v, v4 %v", zero(3), zero(4))
	}
}

// ranges returns the advertised versions by API key.
func (r *rig) ranges() map[int16][2]int16 {
	out := map[int16][2]int16{}
	for _, k := range r.raw(2).ask(apiVersions(0)).(*kmsg.ApiVersionsResponse).ApiKeys {
		out[k.ApiKey] = [2]int16{k.MinVersion, k.MaxVersion}
	}
	return out
}

func TestVersionRangesOfAReleaseLine(t *testing.T) {
	t.Parallel()
	old := start(t, "1.1").ranges()
	if old[23] != [2]int16{0, 0} || old[0] != [2]int16{3, 5} || old[1] != [2]int16{4, 7} {
		t.Errorf("1.1: %v", old)
	}
	file := filepath.Join(t.TempDir(), "versions.json")
	text, err := json.Marshal(map[string][2]int16{"11": {2, 9}, "9": {1, 8}})
	fatal(t, err)
	fatal(t, os.WriteFile(file, text, 0o600))
	r := start(t, "4.4", "--versions", file)
	if got := r.ranges(); got[11] != [2]int16{2, 9} || got[9] != [2]int16{1, 8} {
		t.Errorf("4.4: %v, %v", got[11], got[9])
	}
	c := r.raw(1)
	below := kmsg.NewPtrJoinGroupRequest()
	below.Version = 1
	c.send(below)
	if _, err := c.receive(below, time.Second); !errors.Is(err, io.EOF) {
		t.Errorf("a version below the minimum: %v, want it closed", err)
	}
}

// TestProduceIsAdvertisedFromZero on 4.x alone, and 0 to 2 close the connection there (KAFKA-18659).
func TestProduceIsAdvertisedFromZero(t *testing.T) {
	t.Parallel()
	for release, want := range map[string][2]int16{"3.9": {3, 11}, "4.0": {0, 12}, "4.4": {0, 13}} {
		r := start(t, release)
		r.topic("t", 1)
		if got := r.ranges()[0]; got != want {
			t.Errorf("%s: Produce %v, want %v", release, got, want)
		}
		for version := range int16(3) {
			c, req := r.raw(1), produceTo(version, 1, "t", 0)
			c.send(req)
			if _, err := c.receive(req, time.Second); !errors.Is(err, io.EOF) {
				t.Errorf("%s, Produce v%d: %v, want it closed", release, version, err)
			}
		}
	}
}

// TestClientMetricsAreNotServed: brokers have them with a plugin only.
func TestClientMetricsAreNotServed(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"3.9", "4.4"} {
		ranges := start(t, release).ranges()
		for _, api := range []int16{71, 72} {
			if _, ok := ranges[api]; ok {
				t.Errorf("%s: API %d is advertised", release, api)
			}
		}
	}
	if _, ok := start(t, "2.6").ranges()[int16(kmsg.DescribeTransactions)]; ok {
		t.Error("2.6: DescribeTransactions is advertised")
	}
}

func TestInternalTopicsExist(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	all := kmsg.NewPtrMetadataRequest()
	all.Version, all.Topics = 9, nil
	internal := 0
	for _, topic := range r.raw(1).ask(all).(*kmsg.MetadataResponse).Topics {
		if topic.IsInternal && len(topic.Partitions) > 0 {
			internal++
		}
	}
	if internal != 2 {
		t.Errorf("%d internal topics, want __consumer_offsets and __transaction_state", internal)
	}
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--broker", "9.9"}, {"--advertise", "a:1,b:2"}, {"--advertise", "a,b,c"}, {"--nonsense"}, {"positional"},
		{"--advertise", "a:1,b:2,c:3", "--versions", "/nonexistent"},
	} {
		if _, err := parse(args); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

func TestTheProcessEndsWithItsInput(t *testing.T) {
	t.Parallel()
	in, out := net.Pipe()
	end := ended(in)
	select {
	case <-end:
		t.Fatal("ended before the end of its input")
	case <-time.After(20 * time.Millisecond):
	}
	out.Close()
	select {
	case <-end:
	case <-time.After(waitLimit):
		t.Error("runs on without input")
	}
}
