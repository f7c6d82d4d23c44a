//go:build confluent

package main

import (
	"errors"
	"strings"

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

// connecting are errors of connections. librdkafka tells them to an application as those of the whole client, and what
// fails at a partition, or in a group, as errors of consuming.
var connecting = []kafka.ErrorCode{
	kafka.ErrAllBrokersDown, kafka.ErrTransport, kafka.ErrResolve, kafka.ErrAuthentication, kafka.ErrSsl,
	kafka.ErrTimedOut, kafka.ErrCritSysResource, kafka.ErrFs,
}

// consuming are the first words of errors of consuming that can have a code of a connection (rdkafka_assignment.c,
// rdkafka_cgrp.c, rdkafka_partition.c).
var consuming = []string{"Failed to ", "FindCoordinator response error", "JoinGroup failed"}

// isOfClient reports whether an event is an error of the client, which other bindings give to a callback of their own. The
// wrapper makes the same event of both kinds, without topic and partition (event.go).
func isOfClient(failed kafka.Error) bool {
	for _, words := range consuming {
		if strings.HasPrefix(failed.String(), words) {
			return false
		}
	}
	for _, code := range connecting {
		if failed.Code() == code {
			return true
		}
	}
	return false
}
