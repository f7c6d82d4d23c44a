package main

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

// field returns a dotted path of Config, such as Producer.Retry.Max; invalid where this version lacks it.
func field(config *sarama.Config, path string) reflect.Value {
	value := reflect.ValueOf(config).Elem()
	for _, name := range strings.Split(path, ".") {
		if value.Kind() != reflect.Struct || value.Type() == reflect.TypeFor[sarama.KafkaVersion]() {
			return reflect.Value{}
		}
		if value = value.FieldByName(name); !value.IsValid() || !value.CanSet() {
			return reflect.Value{}
		}
	}
	return value
}

// assign sets a dotted path of Config from text; Unsupported where it does not exist or the text is not valid.
func assign(config *sarama.Config, path, text string) error {
	target := field(config, path)
	if !target.IsValid() {
		return driver.Refuse("%s has no Config.%s", named(), path)
	}
	if err := parse(target, text); err != nil {
		return driver.Refuse("%s: Config.%s cannot be %q: %v", named(), path, text, err)
	}
	return nil
}

var words = map[reflect.Type]map[string]int64{
	reflect.TypeFor[sarama.RequiredAcks]():     {"all": -1, "1": 1, "0": 0, "-1": -1},
	reflect.TypeFor[sarama.CompressionCodec](): {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4},
}

func parse(target reflect.Value, text string) error {
	if known, is := words[target.Type()]; is {
		number, found := known[text]
		if !found {
			return fmt.Errorf("not a %s", target.Type().Name())
		}
		target.SetInt(number)
		return nil
	}
	switch pointer := target.Addr().Interface().(type) {
	case *time.Duration:
		return keep(pointer, text, time.ParseDuration)
	case *sarama.KafkaVersion:
		return keep(pointer, text, sarama.ParseKafkaVersion)
	case *bool:
		return keep(pointer, text, strconv.ParseBool)
	case *string:
		*pointer = text
		return nil
	}
	if !target.CanInt() {
		return fmt.Errorf("a %s has no text form", target.Type())
	}
	number, err := strconv.ParseInt(text, 10, target.Type().Bits())
	target.SetInt(number)
	return err
}

func keep[T any](pointer *T, text string, parse func(string) (T, error)) error {
	value, err := parse(text)
	if err == nil {
		*pointer = value
	}
	return err
}

// format returns a field as a setting of READY: durations in milliseconds, acks and codecs by name.
func format(value reflect.Value) string {
	if duration, is := value.Interface().(time.Duration); is {
		return strconv.FormatInt(duration.Milliseconds(), 10)
	}
	for word, number := range words[value.Type()] {
		if value.Int() == number && word != "-1" {
			return word
		}
	}
	return fmt.Sprint(value.Interface())
}
