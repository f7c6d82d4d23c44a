package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func nameless([16]byte) string { return "" }

// scenarios are the APIs that scenarios answer with errors, except Metadata and FindCoordinator, which the front
// answers row by row.
var scenarios = []kmsg.Key{
	kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Heartbeat, kmsg.OffsetCommit,
	kmsg.OffsetFetch, kmsg.InitProducerID, kmsg.AddPartitionsToTxn, kmsg.EndTxn, kmsg.TxnOffsetCommit, kmsg.OffsetForLeaderEpoch,
}

// filled gives a request one row in every list, so that a response has a field for a code.
func filled(key kmsg.Key, version int16) kmsg.Request {
	req := kmsg.RequestForKey(int16(key))
	fill(reflect.ValueOf(req).Elem())
	req.SetVersion(version)
	return req
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() && v.Type().Field(i).Name != "UnknownTags" {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0))
		}
	}
}

// TestShape encodes the response in every version and finds the code in its decoded form.
func TestShape(t *testing.T) {
	t.Parallel()
	for _, key := range scenarios {
		highest := kmsg.RequestForKey(int16(key)).MaxVersion()
		for version := int16(0); version <= highest; version++ {
			req := filled(key, version)
			resp, err := Shape(req, 77)
			if err != nil {
				t.Errorf("%s v%d: %v", key.Name(), version, err)
				continue
			}
			frame := AppendResponse(nil, resp, 9)
			back, err := ReadResponse(req, frame[4:])
			if err != nil || int(binary.BigEndian.Uint32(frame)) != len(frame)-4 {
				t.Errorf("%s v%d: %v", key.Name(), version, err)
				continue
			}
			if !holds(reflect.ValueOf(back).Elem(), 77) {
				t.Errorf("%s v%d has no code: %+v", key.Name(), version, back)
			}
		}
	}
}

// holds reports whether any ErrorCode field has a code.
func holds(v reflect.Value, code int64) bool {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name == "ErrorCode" && v.Field(i).Int() == code || holds(v.Field(i), code) {
				return true
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if holds(v.Index(i), code) {
				return true
			}
		}
	}
	return false
}

func TestShapeOfAnAPIWithoutErrors(t *testing.T) {
	t.Parallel()
	if resp, err := Shape(kmsg.RequestForKey(int16(kmsg.DescribeConfigs)), 1); err == nil {
		t.Errorf("%+v", resp)
	}
}

// TestCutAndAdd: removed rows come back with their code, in their place among the topics.
func TestCutAndAdd(t *testing.T) {
	t.Parallel()
	req := kmsg.NewPtrProduceRequest()
	for _, topic := range []string{"a", "b"} {
		t := kmsg.NewProduceRequestTopic()
		t.Topic = topic
		t.Partitions = []kmsg.ProduceRequestTopicPartition{{Partition: 0}, {Partition: 1}}
		req.Topics = append(req.Topics, t)
	}
	codes := Codes{1: {Code: 56}, 2: {Code: 6}, 3: {Code: 7, Apply: true}}
	rest, left := Cut(req, codes)
	cut := rest.(*kmsg.ProduceRequest)
	if left != 2 || len(cut.Topics) != 2 || cut.Topics[0].Partitions[0].Partition != 0 || cut.Topics[1].Partitions[0].Partition != 1 {
		t.Fatalf("%d left: %+v", left, cut)
	}
	if len(req.Topics[0].Partitions) != 2 || len(req.Topics[1].Partitions) != 2 {
		t.Error("the request itself was changed")
	}
	resp := req.ResponseKind().(*kmsg.ProduceResponse)
	resp.Topics = []kmsg.ProduceResponseTopic{
		{Topic: "b", Partitions: []kmsg.ProduceResponseTopicPartition{{Partition: 1, BaseOffset: 4}}},
		{Topic: "a", Partitions: []kmsg.ProduceResponseTopicPartition{{Partition: 0, BaseOffset: 5}}},
	}
	Add(resp, req, codes)
	got := map[string]map[int32]int16{}
	for _, topic := range resp.Topics {
		got[topic.Topic] = map[int32]int16{}
		for _, p := range topic.Partitions {
			got[topic.Topic][p.Partition] = p.ErrorCode
		}
	}
	want := map[string]map[int32]int16{"a": {0: 0, 1: 56}, "b": {0: 6, 1: 7}}
	if !reflect.DeepEqual(got, want) || len(resp.Topics) != 2 {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	offsets := kmsg.NewPtrOffsetFetchRequest()
	offsets.Version = 8
	offsets.Groups = []kmsg.OffsetFetchRequestGroup{{Group: "g"}, {Group: "h"}}
	objects := CallOf(1, offsets, nameless).Objects
	if len(objects) != 2 || objects[1].Key != "h" || objects[1].KeyType != Group || !objects[1].Keyed {
		t.Errorf("%+v", objects)
	}
	idempotent := kmsg.NewPtrInitProducerIDRequest()
	if objects := CallOf(1, idempotent, nameless).Objects; objects[0].Keyed {
		t.Errorf("no transactional id, but %+v", objects)
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	for _, prefix := range [][]byte{{0xff, 0xff, 0xff, 0xff}, {0x7f, 0, 0, 0}} {
		if _, err := ReadFrame(bytes.NewReader(prefix)); !errors.Is(err, ErrFrame) {
			t.Errorf("%x: %v", prefix, err)
		}
	}
	if frame, err := ReadFrame(bytes.NewReader([]byte{0, 0, 0, 1, 7})); err != nil || !bytes.Equal(frame, []byte{7}) {
		t.Errorf("%v, %v", frame, err)
	}
}

func TestACountOfTagsBeyondTheFrame(t *testing.T) {
	t.Parallel()
	began := time.Now()
	header, rest, err := ReadHeader([]byte{0, 3, 0, 12, 0, 0, 0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRequest(header, rest); err == nil || time.Since(began) > time.Minute {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

// FuzzRequest: no frame may crash the reader.
func FuzzRequest(f *testing.F) {
	for _, key := range append(scenarios, kmsg.Metadata, kmsg.FindCoordinator, kmsg.ApiVersions) {
		f.Add(kmsg.NewRequestFormatter(kmsg.FormatterClientID("c")).AppendRequest(nil, filled(key, 3), 1)[4:])
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		header, rest, err := ReadHeader(frame)
		if err != nil {
			return
		}
		if req, err := ReadRequest(header, rest); err == nil && CallOf(1, req, nameless) == nil {
			t.Error("no call")
		}
	})
}

// A replica that knows of no leader says so (KIP-951): leader -1 in an epoch, and no endpoint.
func TestAHintAtNoLeaderHasNoEndpoint(t *testing.T) {
	t.Parallel()
	resp := kmsg.NewPtrProduceResponse()
	for _, name := range []string{"none", "moved", "unknown"} {
		topic := kmsg.NewProduceResponseTopic()
		topic.Topic = name
		topic.Partitions = []kmsg.ProduceResponseTopicPartition{kmsg.NewProduceResponseTopicPartition()}
		resp.Topics = append(resp.Topics, topic)
	}
	hints := map[string]Hint{"none": {Leader: -1, Epoch: 7}, "moved": {Leader: 2, Epoch: 5, Host: "h", Port: 9}}
	SetHints(resp, func(topic string, _ [16]byte, _ int32, _ int16) (Hint, bool) {
		hint, ok := hints[topic]
		return hint, ok
	})
	for i, want := range [][2]int32{{-1, 7}, {2, 5}, {-1, -1}} {
		got := resp.Topics[i].Partitions[0].CurrentLeader
		if got.LeaderID != want[0] || got.LeaderEpoch != want[1] {
			t.Errorf("%s: %+v, want %v", resp.Topics[i].Topic, got, want)
		}
	}
	if len(resp.Brokers) != 1 || resp.Brokers[0].NodeID != 2 {
		t.Errorf("endpoints %+v, want that of broker 2", resp.Brokers)
	}
}
