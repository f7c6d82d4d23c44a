package main

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// field returns an exported field of the struct that `owner` points to; invalid where this version lacks it.
func field(owner any, name string) reflect.Value {
	value := reflect.ValueOf(owner)
	for value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	if value.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	if found := value.FieldByName(name); found.IsValid() && found.CanSet() {
		return found
	}
	return reflect.Value{}
}

// parse sets a field from text.
func parse(target reflect.Value, text string) error {
	if target.Type() == reflect.TypeFor[time.Duration]() {
		value, err := time.ParseDuration(text)
		target.SetInt(int64(value))
		return err
	}
	if number, err := strconv.ParseInt(text, 10, 64); err == nil && target.CanInt() {
		target.SetInt(number)
		return nil
	}
	switch pointer := target.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		return pointer.UnmarshalText([]byte(text))
	case *bool:
		value, err := strconv.ParseBool(text)
		*pointer = value
		return err
	case *string:
		*pointer = text
		return nil
	}
	return fmt.Errorf("a %s has no such text form", target.Type())
}

// number reads an integer field; 0 where this version lacks it.
func number(owner any, name string) int64 {
	if value := field(owner, name); value.IsValid() && value.CanInt() {
		return value.Int()
	}
	return 0
}
