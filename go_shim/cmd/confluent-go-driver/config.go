package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// config are settings by librdkafka's names, and the wrapper's own, which begin with `go.`.
type config map[string]string

const (
	staticMember = "static-member"
	cooperative  = "cooperative"
	autocommit   = "autocommit"

	refresh = "topic.metadata.refresh.interval.ms"
)

// profiles are those of the driver of librdkafka.
var profiles = driver.Profiles{
	"isolated":   {},
	"defaults":   {Bare: true},
	"idempotent": driver.Writing("enable.idempotence", "true"),
	"no-retries": driver.Writing("message.send.max.retries", "0"),
	"acks-1":     driver.Writing("acks", "1"),
	"zstd":       driver.Writing("compression.codec", "zstd"),
	"refresh-1s": {Set: map[string]string{refresh: "1000", "metadata.max.age.ms": "3000"}},
	"quick-timeouts": {Set: map[string]string{
		"socket.timeout.ms": "5000", "request.timeout.ms": "5000",
		"session.timeout.ms": "6000", "socket.connection.setup.timeout.ms": "5000",
	}},
	"short-limits": short(nil),
	staticMember:   short(nil), // group.instance.id below
	cooperative:    short(map[string]string{"partition.assignment.strategy": "cooperative-sticky"}),
	autocommit:     short(map[string]string{"enable.auto.commit": "true", "auto.commit.interval.ms": "1000"}),
}

// ofMembers are the profiles with settings that only members of a group have.
var ofMembers = []string{staticMember, cooperative, autocommit}

func short(more map[string]string) driver.Profile {
	set := map[string]string{
		"session.timeout.ms": "6000", "max.poll.interval.ms": "8000", "transaction.timeout.ms": "10000",
	}
	maps.Copy(set, more)
	return driver.Profile{Set: set}
}

// configure lists the settings of an instance: driver, role, profile, properties, in this order.
func configure(start *driverpb.Start, _ *driver.Instance) (config, error) {
	chosen, err := profiles.Choose(family, start)
	if err != nil {
		return nil, err
	}
	if slices.Contains(ofMembers, start.Profile) && start.Role != "group" {
		return nil, driver.Refuse("profile %s concerns members of a group, a %s is none", start.Profile, start.Role)
	}
	set := config{"bootstrap.servers": strings.Join(start.Bootstrap, ","), "client.id": start.ClientId}
	maps.Copy(set, ofRole(start))
	if !chosen.Bare {
		set[refresh] = "-1" // metadata.max.age.ms keeps its default of 15 minutes, which is longer than any trial
	}
	maps.Copy(set, chosen.Set)
	if start.Profile == staticMember {
		set["group.instance.id"] = start.Instance
	}
	maps.Copy(set, start.Properties)
	return set, nil
}

func ofRole(start *driverpb.Start) config {
	switch start.Role {
	case "consumer": // a consumer needs a group id, also without joining a group
		group := start.Group
		if group == "" {
			group = start.ClientId
		}
		return config{"group.id": group, "enable.auto.commit": "false"}
	case "group":
		return config{"group.id": start.Group, "enable.auto.commit": "false", "auto.offset.reset": "earliest"}
	case "transactional":
		return config{"transactional.id": start.TransactionalId}
	}
	return nil
}

const own = "go."

// split returns librdkafka's settings, and the wrapper's own with the types that it asks for: truth values and whole
// numbers, else text.
func (c config) split() (theirs map[string]string, ours map[string]any) {
	theirs, ours = map[string]string{}, map[string]any{}
	for key, text := range c {
		if !strings.HasPrefix(key, own) {
			theirs[key] = text
		} else if number, err := strconv.Atoi(text); err == nil {
			ours[key] = number
		} else if truth, err := strconv.ParseBool(text); err == nil {
			ours[key] = truth
		} else {
			ours[key] = text
		}
	}
	return theirs, ours
}
