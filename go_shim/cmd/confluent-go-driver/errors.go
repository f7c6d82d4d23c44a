//go:build confluent

package main

import (
	"errors"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// localCode is the greatest code of librdkafka's own errors; greater ones are Kafka's.
const localCode = -2

// describe converts an error of the wrapper, whose type is librdkafka's name of it.
func describe(err error) *driverpb.Error {
	var failed kafka.Error
	if !errors.As(err, &failed) {
		return driver.Describe(err)
	}
	code := int(failed.Code())
	described := driver.Coded(int32(code), nameOf(code), failed.String())
	if code <= localCode {
		described.Code, described.Name = -1, ""
	}
	described.Retriable = failed.IsRetriable()
	return described
}
