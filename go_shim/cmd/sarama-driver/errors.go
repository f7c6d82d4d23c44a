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

// describe tells an error of the library: a protocol code where it is one, else the name of the constant.
func describe(err error) *driverpb.Error {
	cause := bare(err)
	if cause == nil { // the oldest version tells group members of such
		return &driverpb.Error{Code: -1, Type: "nil", Text: "an error without a cause"}
	}
	var code sarama.KError
	if errors.As(cause, &code) {
		return driver.Coded(int32(code), "sarama.KError", err.Error())
	}
	told := driver.Describe(err)
	told.Type = driver.Class(cause)
	for _, constant := range constants {
		if errors.Is(cause, constant.err) {
			told.Type = constant.name
			return told
		}
	}
	if name, found := byText[cause.Error()]; found {
		told.Type = name
	}
	return told
}

// bare takes off the wrappers that old versions cannot unwrap by themselves.
func bare(err error) error {
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
