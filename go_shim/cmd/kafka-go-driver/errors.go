package main

import (
	"errors"
	"reflect"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/segmentio/kafka-go"
)

// describe converts an error of the library: a protocol code where it has one.
func describe(err error) *driverpb.Error {
	err = first(err)
	if wrapped, ok := err.(interface{ Cause() error }); ok { // old versions do not implement Unwrap
		err = wrapped.Cause()
	}
	var code kafka.Error
	if errors.As(err, &code) {
		described := driver.Coded(int32(code), "kafka.Error", err.Error())
		described.Retriable = code.Temporary()
		return described
	}
	described := driver.Describe(err)
	var temporary interface{ Temporary() bool }
	described.Retriable = errors.As(err, &temporary) && temporary.Temporary()
	return described
}

// ofMessage returns the error of one message of a call; nil without one. Without a list, all messages failed together.
func ofMessage(err error, index int) error {
	list := reflect.ValueOf(err)
	if err == nil || list.Kind() != reflect.Slice || index >= list.Len() {
		return err
	}
	failure, _ := list.Index(index).Interface().(error)
	return failure
}

// first returns the error in the list of newer versions, which have one element per message of a call.
func first(err error) error {
	list := reflect.ValueOf(err)
	if list.Kind() != reflect.Slice {
		return err
	}
	for index := range list.Len() {
		if element, ok := list.Index(index).Interface().(error); ok && element != nil {
			return element
		}
	}
	return err
}
