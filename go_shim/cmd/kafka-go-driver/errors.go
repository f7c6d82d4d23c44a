package main

import (
	"errors"
	"reflect"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/segmentio/kafka-go"
)

// describe tells an error of the library: a protocol code where it is one.
func describe(err error) *driverpb.Error {
	err = first(err)
	if wrapped, is := err.(interface{ Cause() error }); is { // old versions cannot be unwrapped by themselves
		err = wrapped.Cause()
	}
	var code kafka.Error
	if errors.As(err, &code) {
		told := driver.Coded(int32(code), "kafka.Error", err.Error())
		told.Retriable = code.Temporary()
		return told
	}
	told := driver.Describe(err)
	var temporary interface{ Temporary() bool }
	told.Retriable = errors.As(err, &temporary) && temporary.Temporary()
	return told
}

// first takes the one error out of the list that newer versions give, one for each message of a call.
func first(err error) error {
	list := reflect.ValueOf(err)
	if list.Kind() != reflect.Slice {
		return err
	}
	for index := range list.Len() {
		if each, is := list.Index(index).Interface().(error); is && each != nil {
			return each
		}
	}
	return err
}
