package main

import (
	"errors"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

var constants = []struct {
	err  error
	name string
}{
	{kgo.ErrMaxBuffered, "ErrMaxBuffered"},
	{kgo.ErrAborting, "ErrAborting"},
	{kgo.ErrClientClosed, "ErrClientClosed"},
}

// byText names constants that the oldest versions do not export.
var byText = map[string]string{
	"records have timed out before they were able to be produced": "ErrRecordTimeout",
	"record failed after being retried too many times":            "ErrRecordRetries",
}

// describe converts an error of the library: a protocol code where it has one, else the name of its constant.
func describe(err error) *driverpb.Error {
	var coded *kerr.Error
	if errors.As(err, &coded) {
		described := driver.Coded(int32(coded.Code), "kerr.Error", err.Error())
		described.Retriable = coded.Retriable
		return described
	}
	described := driver.Describe(err)
	for _, constant := range constants {
		if errors.Is(err, constant.err) {
			described.Type = constant.name
			return described
		}
	}
	if name, found := byText[err.Error()]; found {
		described.Type = name
	}
	return described
}
