package main

import (
	"maps"
	"testing"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

func order(role, profile string, properties map[string]string) *driverpb.Start {
	return &driverpb.Start{
		Instance: "i", ClientId: "c", Role: role, Profile: profile, Properties: properties, Group: "g",
		Bootstrap: []string{"127.0.0.1:1", "127.0.0.1:2"}, TransactionalId: "t",
	}
}

func configured(t *testing.T, role, profile string, properties map[string]string) config {
	t.Helper()
	set, err := configure(order(role, profile, properties), nil)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestIsolatedNeverRefreshesAndDefaultsLeavesThatToTheLibrary(t *testing.T) {
	if found := configured(t, "producer", "isolated", nil)[refresh]; found != "-1" {
		t.Errorf("isolated refreshes at %q", found)
	}
	if found, set := configured(t, "producer", "defaults", nil)[refresh]; set {
		t.Errorf("defaults sets %q", found)
	}
}

func TestAPropertyTakesPrecedence(t *testing.T) {
	set := configured(t, "group", autocommit, map[string]string{"auto.commit.interval.ms": "5000"})
	if set["auto.commit.interval.ms"] != "5000" || set["enable.auto.commit"] != "true" {
		t.Error(set)
	}
}

func TestAProfileOfMembersIsRefusedElsewhere(t *testing.T) {
	for _, name := range ofMembers {
		configured(t, "group", name, nil)
		if _, err := configure(order("consumer", name, nil), nil); err == nil {
			t.Errorf("%s was accepted for a consumer", name)
		}
	}
}

func TestAStaticMemberIsNamedAsItsInstance(t *testing.T) {
	if found := configured(t, "group", staticMember, nil)["group.instance.id"]; found != "i" {
		t.Error(found)
	}
}

func TestSettingsOfTheWrapperHaveTheTypesThatItAsksFor(t *testing.T) {
	theirs, ours := config{
		"acks": "1", "go.events.channel.enable": "true", "go.events.channel.size": "1", "go.delivery.report.fields": "key",
	}.split()
	wanted := map[string]any{
		"go.events.channel.enable": true, "go.events.channel.size": 1, "go.delivery.report.fields": "key",
	}
	if !maps.Equal(ours, wanted) || !maps.Equal(theirs, map[string]string{"acks": "1"}) {
		t.Error(theirs, ours)
	}
}

func TestSettingsAreNamedByRole(t *testing.T) {
	effective := map[string]string{
		"request.required.acks": "-1", "message.send.max.retries": "7", "auto.offset.reset": "smallest",
		"max.in.flight.requests.per.connection": "1000000", "session.timeout.ms": "45000", "enable.idempotence": "false",
		"retry.backoff.ms": "100", "reconnect.backoff.max.ms": "10000",
	}
	for role, wanted := range map[string]map[string]string{
		"producer":      {"acks": "all", "retries": "7", "max_in_flight": "1000000", "idempotence": "false"},
		"transactional": {"acks": "all", "retries": "7", "max_in_flight": "5", "idempotence": "true"},
		"consumer":      {"offset_reset": "earliest"},
		"group":         {"offset_reset": "earliest", "session_timeout_ms": "45000"},
	} {
		maps.Copy(wanted, map[string]string{"retry_backoff_ms": "100", "longest_backoff_ms": "10000"})
		if found := settings(effective, role); !maps.Equal(found, wanted) {
			t.Errorf("%s: %v, not %v", role, found, wanted)
		}
	}
}

func TestThisProgramSaysThatItWasBuiltWithoutTheWrapper(t *testing.T) {
	if _, err := openProducer(nil, order("producer", "isolated", nil), nil); err == nil {
		t.Skip("it was built with the wrapper")
	} else if _, refused := err.(driver.Unsupported); !refused {
		t.Errorf("%v is no refusal", err)
	}
}

func TestErrorsOfConnectionsAreNoneOfConsuming(t *testing.T) {
	for _, one := range []struct {
		name, text string
		wanted     bool
	}{
		{"_ALL_BROKERS_DOWN", "3/3 brokers are down", true},
		{"_TRANSPORT", "127.0.0.1:9092/1: Connect to ipv4#127.0.0.1:9092 failed: Connection refused", true},
		{"_TRANSPORT", "Failed to fetch committed offsets for 2 partition(s) in group \"g\": Local: Broker transport failure", false},
		{"_MAX_POLL_EXCEEDED", "Application maximum poll interval (8000ms) exceeded by 12ms", false},
		{"TOPIC_AUTHORIZATION_FAILED", "Fetch from broker 1 failed: Broker: Topic authorization failed", false},
	} {
		if found := isOfClient(one.name, one.text); found != one.wanted {
			t.Errorf("%s: %s: %v", one.name, one.text, found)
		}
	}
}
