package main

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/segmentio/kafka-go"
)

// Keys are Writer, Transport, Reader or Dialer with a field's name. In versions without Transport, Writer means
// WriterConfig.
var profiles = driver.Profiles{
	"isolated":   {},
	"defaults":   {Bare: true},
	"no-retries": driver.Writing("Writer.MaxAttempts", "1"),
	"acks-1":     driver.Writing("Writer.RequiredAcks", "1"),
	"zstd":       driver.Writing("Writer.Compression", "4"),
	"refresh-1s": {Set: map[string]string{
		refreshKey: "1s", "Reader.WatchPartitionChanges": "true", "Reader.PartitionWatchInterval": "1s",
	}},
	"quick-timeouts": {Set: map[string]string{
		"Writer.ReadTimeout": "5s", "Writer.WriteTimeout": "5s", "Dialer.Timeout": "5s",
		"Reader.MaxWait": "5s", "Reader.SessionTimeout": "5s", "Reader.RebalanceTimeout": "5s",
		"Reader.HeartbeatInterval": "1500ms",
	}},
	"short-limits": {Set: map[string]string{"Reader.SessionTimeout": "6s", "Reader.RebalanceTimeout": "8s"}},
	autocommit: {Set: map[string]string{
		"Reader.SessionTimeout": "6s", "Reader.RebalanceTimeout": "8s", "Reader.CommitInterval": "1s",
	}},
}

const (
	autocommit = "autocommit"
	// never is a refresh interval longer than any trial.
	never = "24h"
	// refreshKey is the library's only refresh: of the writer's cluster layout.
	refreshKey = "Transport.MetadataTTL"
	// oldRefreshKey is the refresh of versions without Transport: of the list of partitions, not of their leaders.
	oldRefreshKey = "Writer.RebalanceInterval"
	// dialTimeout is that of the library's own dialer for writers.
	dialTimeout = 3 * time.Second
)

var reserved = []string{
	"Writer.Addr", "Writer.Topic", "Writer.Balancer", "Writer.Async", "Writer.Completion", "Dialer.ClientID",
	"Reader.Brokers", "Reader.GroupID", "Reader.Topic", "Reader.Partition", "Reader.StartOffset",
	"Reader.CommitInterval", "Transport.ClientID",
}

// config is the configuration of a client of any role.
type config struct {
	writer    *kafka.Writer       // nil for readers, and in versions without Transport
	old       *kafka.WriterConfig // nil for readers
	transport any                 // nil in versions without Transport
	reader    *kafka.ReaderConfig // nil for writers
	dialer    *kafka.Dialer
}

func profileNames() []string {
	names := profiles.Names()
	if !field(&kafka.Writer{}, "Compression").IsValid() {
		names = slices.DeleteFunc(names, func(name string) bool { return name == "zstd" })
	}
	return names
}

// configure builds the configuration of an instance: role, profile, properties, in this order.
func configure(start *driverpb.Start, _ *driver.Instance) (*config, error) {
	chosen, err := profiles.Choose("kafka-go", start)
	if err != nil {
		return nil, err
	}
	c := &config{dialer: &kafka.Dialer{ClientID: start.ClientId, Timeout: 10 * time.Second, DualStack: true}}
	if err := secure(c.dialer, start.Security); err != nil { // NewWriter gives both to its Transport, where there is one
		return nil, err
	}
	if start.Role == "producer" {
		c.writing(start)
	} else {
		c.reading(start)
	}
	set := map[string]string{}
	if chosen.Bare && c.writer != nil {
		field(c.writer, "RequiredAcks").SetZero() // a Writer's own default, where NewWriter requests all
	}
	if !chosen.Bare {
		set[refreshKey] = never
		set["Reader.ReadLagInterval"] = "-1s" // otherwise it looks up the leader every minute
	}
	maps.Copy(set, chosen.Set)
	for _, key := range slices.Sorted(maps.Keys(set)) {
		if err := c.assign(key, set[key]); err != nil && c.concerns(key) {
			return nil, err
		}
	}
	_, err = driver.SetProperties(start, reserved, c.assign)
	return c, err
}

// writing builds the writer by NewWriter, which requests all acknowledgements where none is set, as every profile but
// defaults does: the zero value of a Writer, as the library's documentation builds it, requests none.
func (c *config) writing(start *driverpb.Start) {
	c.old = &kafka.WriterConfig{
		Brokers: start.Bootstrap, Topic: start.Topic, Dialer: c.dialer, Balancer: balancer(start),
	}
	if !field(&kafka.Writer{}, "Transport").IsValid() {
		c.old.RequiredAcks = -1
		return
	}
	c.dialer.Timeout = dialTimeout
	c.writer = kafka.NewWriter(*c.old)
	c.transport = field(c.writer, "Transport").Interface()
	field(c.writer, "Balancer").Set(reflect.ValueOf(c.old.Balancer)) // the first version with Transport drops it
	// NewWriter fills in the values of versions without Transport; zero selects the Transport's own default.
	for _, name := range []string{"IdleTimeout", "MetadataTTL"} {
		if value := field(c.transport, name); value.IsValid() {
			value.SetZero()
		}
	}
}

// reading builds the reader as the library's documentation does, except for MinBytes: its default before 0.4.10, 1 MB,
// delays records by up to 9 s, which is not distinguishable from a reader that is stuck.
func (c *config) reading(start *driverpb.Start) {
	c.reader = &kafka.ReaderConfig{
		Brokers: start.Bootstrap, Topic: start.Topic, Dialer: c.dialer,
		MinBytes: 1, MaxBytes: 1e6, // the default of all versions, which the library fills in only after it compared the two
	}
	if start.Role == "group" {
		c.reader.GroupID = start.Group
		c.reader.StartOffset = kafka.FirstOffset
	}
}

// concerns reports whether a profile's key applies to this role; a writer has no Reader, a reader no Writer.
func (c *config) concerns(key string) bool {
	part, _, _ := strings.Cut(key, ".")
	return part == "Dialer" || (part == "Reader") == (c.reader != nil)
}

// assign sets a field from text; Unsupported where it does not exist for this role, or the text is not valid.
func (c *config) assign(key, text string) error {
	part, name, _ := strings.Cut(key, ".")
	owner := c.owner(part)
	if owner == nil && key == refreshKey && c.old != nil {
		return c.assign(oldRefreshKey, text)
	}
	target := field(owner, name)
	if !target.IsValid() {
		return driver.Refuse("kafka-go %s has no %s here", version(), key)
	}
	if err := parse(target, text); err != nil {
		return driver.Refuse("kafka-go %s: %s cannot be %q: %v", version(), key, text, err)
	}
	return nil
}

func (c *config) owner(part string) any {
	switch {
	case part == "Dialer":
		return c.dialer
	case part == "Reader" && c.reader != nil:
		return c.reader
	case part == "Transport" && c.transport != nil:
		return c.transport
	case part == "Writer" && c.writer != nil:
		return c.writer
	case part == "Writer" && c.old != nil:
		return c.old
	}
	return nil
}
