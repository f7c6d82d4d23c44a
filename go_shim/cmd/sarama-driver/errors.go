package main

import (
	"errors"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

var constants = []struct {
	err  error
	name string
}{
	{sarama.ErrOutOfBrokers, "ErrOutOfBrokers"},
	{sarama.ErrClosedClient, "ErrClosedClient"},
	{sarama.ErrIncompleteResponse, "ErrIncompleteResponse"},
	{sarama.ErrInvalidPartition, "ErrInvalidPartition"},
	{sarama.ErrAlreadyConnected, "ErrAlreadyConnected"},
	{sarama.ErrNotConnected, "ErrNotConnected"},
	{sarama.ErrInsufficientData, "ErrInsufficientData"},
	{sarama.ErrShuttingDown, "ErrShuttingDown"},
	{sarama.ErrMessageTooLarge, "ErrMessageTooLarge"},
	{sarama.ErrConsumerOffsetNotAdvanced, "ErrConsumerOffsetNotAdvanced"},
	{sarama.ErrClosedConsumerGroup, "ErrClosedConsumerGroup"},
}

// byText names constants of a package that only some versions of sarama link in.
var byText = map[string]string{"circuit breaker is open": "ErrBreakerOpen"}

// describe converts an error of the library: a protocol code where it has one, else the name of its constant.
func describe(err error) *driverpb.Error {
	cause := unwrap(err)
	if cause == nil { // the oldest version sends such errors to group members
		return &driverpb.Error{Code: -1, Type: "nil", Text: "an error without a cause"}
	}
	var code sarama.KError
	if errors.As(cause, &code) {
		return driver.Coded(int32(code), "sarama.KError", err.Error())
	}
	described := driver.Describe(err)
	described.Type = driver.Class(cause)
	for _, constant := range constants {
		if errors.Is(cause, constant.err) {
			described.Type = constant.name
			return described
		}
	}
	if name, found := byText[cause.Error()]; found {
		described.Type = name
	}
	return described
}

// unwrap removes the wrappers of old versions, which do not implement Unwrap.
func unwrap(err error) error {
	for {
		switch wrapper := err.(type) {
		case *sarama.ProducerError:
			err = wrapper.Err
		case *sarama.ConsumerError:
			err = wrapper.Err
		default:
			return err
		}
	}
}
