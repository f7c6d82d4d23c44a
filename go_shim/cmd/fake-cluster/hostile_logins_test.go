package main

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// begun returns a connection to a listener that asks for PLAIN, after SaslHandshake.
func begun(t *testing.T, r *rig, version int16) *raw {
	t.Helper()
	client := r.raw(1)
	req := kmsg.NewPtrSASLHandshakeRequest()
	req.Version, req.Mechanism = version, "PLAIN"
	if code := client.ask(req).(*kmsg.SASLHandshakeResponse).ErrorCode; code != 0 {
		t.Fatalf("SaslHandshake: %d", code)
	}
	return client
}

// TestHostileInputToAListenerWithLogInsEndsItsOwnConnection, and no other: the next client is served.
func TestHostileInputToAListenerWithLogInsEndsItsOwnConnection(t *testing.T) {
	r := start(t, "3.9")
	asked := &clusterpb.Security{Mechanisms: []string{"PLAIN"}, Passwords: map[string]string{"probe": "right"}}
	r.apply(&clusterpb.Change{Change: &clusterpb.Change_Security{Security: asked}})
	length := func(size uint32) []byte { return binary.BigEndian.AppendUint32(nil, size) }
	right := kmsg.NewPtrSASLAuthenticateRequest()
	right.Version, right.SASLAuthBytes = 1, []byte("\x00probe\x00right")
	in := func() *raw {
		client := begun(t, r, 1)
		if code := client.ask(right).(*kmsg.SASLAuthenticateResponse).ErrorCode; code != 0 {
			t.Fatalf("the log-in: %d", code)
		}
		return client
	}
	for name, hostile := range map[string]struct {
		client *raw
		bytes  []byte
	}{
		"an oversized first frame":        {r.raw(1), length(512<<10 + 1)},
		"an oversized token":              {begun(t, r, 1), length(512<<10 + 1)},
		"an oversized bare token":         {begun(t, r, 0), length(512<<10 + 1)},
		"a bare token of zeros":           {begun(t, r, 0), append(length(9999), make([]byte, 9999)...)},
		"a handshake of TLS":              {r.raw(1), []byte("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")},
		"a frame of zeros after a log-in": {in(), append(length(64), make([]byte, 64)...)},
		"an unknown API after a log-in":   {in(), append(length(64), bytes.Repeat([]byte{0x7f}, 64)...)},
		"a short frame after a log-in":    {in(), append(length(3), 1, 2, 3)},
		"a negative length after one":     {in(), length(1 << 31)},
	} {
		if _, err := hostile.client.conn.Write(hostile.bytes); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if resp, err := hostile.client.receive(kmsg.NewPtrMetadataRequest(), waitLimit); err == nil {
			t.Errorf("%s: answered with %T", name, resp)
		}
	}
	if got := in().ask(kmsg.NewPtrMetadataRequest()); len(got.(*kmsg.MetadataResponse).Brokers) == 0 {
		t.Error("the next client sees no broker")
	}
}
