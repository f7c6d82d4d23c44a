// Package survey asks a broker every version of every API that it advertises, and tells which it serves.
package survey

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// What a broker does with a request.
const (
	Served      = "served"      // an answer, with or without another error: the request is empty
	Unsupported = "unsupported" // UNSUPPORTED_VERSION (35)
	Closed      = "closed"      // the connection is closed in place of an answer
	Silent      = "silent"      // no answer within answerTime
	Unknown     = "unknown"     // this program has no encoding of it
)

const (
	answerTime         = 1500 * time.Millisecond
	dialTimeout        = 5 * time.Second
	longest            = 16 << 20
	unsupportedVersion = 35
	correlation        = 7
)

// Found is what a broker advertises of an API, and what it does with each version.
type Found struct {
	API     string
	Min     int16
	Max     int16
	Answers []string // from Min to Max
}

// Ask surveys a broker, by API key. The requests are empty: groups, topics and ids have no name.
func Ask(address string) (map[int16]Found, error) {
	versions := kmsg.NewPtrApiVersionsRequest()
	body, err := exchange(address, versions)
	if err != nil {
		return nil, fmt.Errorf("%s: ApiVersions: %w", address, err)
	}
	answer := kmsg.NewPtrApiVersionsResponse()
	if err := answer.ReadFrom(body); err != nil {
		return nil, fmt.Errorf("%s: ApiVersions: %w", address, err)
	}
	found := map[int16]Found{}
	for _, key := range answer.ApiKeys {
		one := Found{API: kmsg.NameForKey(key.ApiKey), Min: key.MinVersion, Max: key.MaxVersion}
		for version := key.MinVersion; version <= key.MaxVersion; version++ {
			one.Answers = append(one.Answers, outcome(address, key.ApiKey, version))
		}
		found[key.ApiKey] = one
	}
	return found, nil
}

func outcome(address string, key, version int16) string {
	req := kmsg.RequestForKey(key)
	if req == nil || version > req.MaxVersion() {
		return Unknown
	}
	req.SetVersion(version)
	if produce, ok := req.(*kmsg.ProduceRequest); ok {
		produce.Acks, produce.TimeoutMillis = 1, 1000 // without an acknowledgement nothing is answered
	}
	body, err := exchange(address, req)
	var slow net.Error
	switch {
	case errors.As(err, &slow) && slow.Timeout():
		return Silent
	case err != nil:
		return Closed
	}
	resp := req.ResponseKind()
	resp.SetVersion(version)
	if resp.ReadFrom(body) == nil && has(reflect.ValueOf(resp), unsupportedVersion) {
		return Unsupported
	}
	return Served
}

// exchange sends one request on a connection of its own and returns the body of the answer.
func exchange(address string, req kmsg.Request) ([]byte, error) {
	conn, err := net.DialTimeout("tcp4", address, dialTimeout)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(answerTime)); err != nil {
		return nil, err
	}
	frame := kmsg.NewRequestFormatter(kmsg.FormatterClientID("survey")).AppendRequest(nil, req, correlation)
	if _, err := conn.Write(frame); err != nil {
		return nil, err
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(conn, head); err != nil {
		return nil, err
	}
	size := int32(binary.BigEndian.Uint32(head))
	if size < 4 || size > longest {
		return nil, fmt.Errorf("an answer of %d bytes", size)
	}
	body := make([]byte, size-4)
	if _, err := io.ReadFull(conn, body); err != nil {
		return nil, err
	}
	if req.IsFlexible() && req.Key() != int16(kmsg.ApiVersions) && len(body) > 0 {
		body = body[1:] // the header's empty tags
	}
	return body, nil
}

// has reports whether an error code stands anywhere in an answer.
func has(value reflect.Value, code int64) bool {
	switch value.Kind() {
	case reflect.Pointer:
		return !value.IsNil() && has(value.Elem(), code)
	case reflect.Slice:
		for i := range value.Len() {
			if has(value.Index(i), code) {
				return true
			}
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Type().Field(i).Name == "ErrorCode" && value.Field(i).Int() == code || has(value.Field(i), code) {
				return true
			}
		}
	}
	return false
}
