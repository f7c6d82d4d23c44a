package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"
)

// maker converts the text of a property to options.
type maker func(text string) ([]kgo.Opt, error)

// options are the options with a text form, by the name of the function that makes them. Files with build tags add
// options of newer versions.
var options = map[string]maker{
	"AllowAutoTopicCreation":   flag(kgo.AllowAutoTopicCreation),
	"AutoCommitInterval":       duration(kgo.AutoCommitInterval),
	"Balancers":                word(balancers, func(one kgo.GroupBalancer) kgo.GroupOpt { return kgo.Balancers(one) }),
	"BrokerMaxReadBytes":       number(kgo.BrokerMaxReadBytes),
	"BrokerMaxWriteBytes":      number(kgo.BrokerMaxWriteBytes),
	"ConnIdleTimeout":          duration(kgo.ConnIdleTimeout),
	"DisableIdempotentWrite":   flag(kgo.DisableIdempotentWrite),
	"FetchIsolationLevel":      word(isolations, kgo.FetchIsolationLevel),
	"FetchMaxBytes":            number(kgo.FetchMaxBytes),
	"FetchMaxPartitionBytes":   number(kgo.FetchMaxPartitionBytes),
	"FetchMaxWait":             duration(kgo.FetchMaxWait),
	"FetchMinBytes":            number(kgo.FetchMinBytes),
	"HeartbeatInterval":        duration(kgo.HeartbeatInterval),
	"InstanceID":               text(kgo.InstanceID),
	"MaxBufferedRecords":       number(kgo.MaxBufferedRecords),
	"MaxConcurrentFetches":     number(kgo.MaxConcurrentFetches),
	"MaxVersions":              versions(kgo.MaxVersions),
	"MetadataMaxAge":           duration(kgo.MetadataMaxAge),
	"MetadataMinAge":           duration(kgo.MetadataMinAge),
	"MinVersions":              versions(kgo.MinVersions),
	"ProduceRequestTimeout":    duration(kgo.ProduceRequestTimeout),
	"ProducerBatchCompression": compression,
	"ProducerBatchMaxBytes":    number(kgo.ProducerBatchMaxBytes),
	"ProducerLinger":           duration(kgo.ProducerLinger),
	"Rack":                     text(kgo.Rack),
	"RebalanceTimeout":         duration(kgo.RebalanceTimeout),
	"RecordDeliveryTimeout":    duration(kgo.RecordDeliveryTimeout),
	"RecordRetries":            number(kgo.RecordRetries),
	"RequestRetries":           number(kgo.RequestRetries),
	"RequestTimeoutOverhead":   duration(kgo.RequestTimeoutOverhead),
	//lint:ignore SA1019 it has an effect in older releases, which this source is also built with
	"RequireStableFetchOffsets":      flag(kgo.RequireStableFetchOffsets),
	"RequiredAcks":                   word(acknowledgements, kgo.RequiredAcks),
	"RetryTimeout":                   duration(kgo.RetryTimeout),
	"SessionTimeout":                 duration(kgo.SessionTimeout),
	"StopProducerOnDataLossDetected": flag(kgo.StopProducerOnDataLossDetected),
	"TransactionTimeout":             duration(kgo.TransactionTimeout),
}

// Words and their values.
var (
	acknowledgements = map[string]kgo.Acks{
		"all": kgo.AllISRAcks(), "-1": kgo.AllISRAcks(), "1": kgo.LeaderAck(), "0": kgo.NoAck(),
	}
	balancers = map[string]kgo.GroupBalancer{
		"cooperative-sticky": kgo.CooperativeStickyBalancer(), "range": kgo.RangeBalancer(),
		"roundrobin": kgo.RoundRobinBalancer(), "sticky": kgo.StickyBalancer(),
	}
	isolations = map[string]kgo.IsolationLevel{
		"read_uncommitted": kgo.ReadUncommitted(), "read_committed": kgo.ReadCommitted(),
	}
	// releases are known to every version of the library.
	releases = map[string]*kversion.Versions{
		"0.11": kversion.V0_11_0(), "1.0": kversion.V1_0_0(), "1.1": kversion.V1_1_0(), "2.0": kversion.V2_0_0(),
		"2.1": kversion.V2_1_0(), "2.2": kversion.V2_2_0(), "2.3": kversion.V2_3_0(), "2.4": kversion.V2_4_0(),
		"2.5": kversion.V2_5_0(), "2.6": kversion.V2_6_0(), "2.7": kversion.V2_7_0(), "2.8": kversion.V2_8_0(),
	}
	codecs = map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
)

// property builds the options of a property; Unsupported where it does not exist or the text is not valid.
func property(name, value string) ([]kgo.Opt, error) {
	maker, known := options[name]
	if !known {
		return nil, driver.Refuse("franz-go %s has no option kgo.%s with a text form", version(), name)
	}
	made, err := maker(value)
	if err != nil {
		return nil, driver.Refuse("franz-go %s: kgo.%s cannot be %q: %v", version(), name, value, err)
	}
	return made, nil
}

func of[T any, O kgo.Opt](parse func(string) (T, error), option func(T) O) maker {
	return func(value string) ([]kgo.Opt, error) {
		parsed, err := parse(value)
		if err != nil {
			return nil, err
		}
		return []kgo.Opt{option(parsed)}, nil
	}
}

func duration[O kgo.Opt](option func(time.Duration) O) maker { return of(time.ParseDuration, option) }

func text[O kgo.Opt](option func(string) O) maker {
	return of(func(value string) (string, error) { return value, nil }, option)
}

func number[N int | int32, O kgo.Opt](option func(N) O) maker {
	return of(func(value string) (N, error) {
		parsed, err := strconv.ParseInt(value, 10, 32)
		return N(parsed), err
	}, option)
}

func word[T any, O kgo.Opt](words map[string]T, option func(T) O) maker {
	return of(func(value string) (T, error) { return find(words, value) }, option)
}

// flag is an option without arguments: `true` sets it, `false` leaves it out.
func flag[O kgo.Opt](option func() O) maker {
	return func(value string) ([]kgo.Opt, error) {
		given, err := strconv.ParseBool(value)
		if err != nil || !given {
			return nil, err
		}
		return []kgo.Opt{option()}, nil
	}
}

func find[T any](words map[string]T, value string) (T, error) {
	found, known := words[value]
	if !known {
		return found, fmt.Errorf("choose one of %s", strings.Join(slices.Sorted(maps.Keys(words)), ", "))
	}
	return found, nil
}

func compression(value string) ([]kgo.Opt, error) {
	codec, err := find(codecs, value)
	if err != nil {
		return nil, err
	}
	return []kgo.Opt{kgo.ProducerBatchCompression(codec)}, nil
}

// versions reads a Kafka release.
func versions(option func(*kversion.Versions) kgo.Opt) maker { return word(releases, option) }
