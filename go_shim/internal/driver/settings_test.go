package driver

import (
	"slices"
	"testing"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

func TestPropertiesAreSetInTheOrderOfTheirNames(t *testing.T) {
	start := &driverpb.Start{Properties: map[string]string{"b": "2", "a": "1", "c": "3"}}
	var set []string
	names, err := SetProperties(start, []string{"topic"}, func(key, value string) error {
		set = append(set, key+value)
		return nil
	})
	if err != nil || !slices.Equal(names, []string{"a", "b", "c"}) || !slices.Equal(set, []string{"a1", "b2", "c3"}) {
		t.Errorf("%v %v %v", names, set, err)
	}
}

func TestPropertiesOfTheDriverAreRefused(t *testing.T) {
	start := &driverpb.Start{Properties: map[string]string{"topic": "mine"}}
	names, err := SetProperties(start, []string{"topic"}, func(string, string) error { return nil })
	if names != nil || err == nil || err.Error() != "topic is set by the driver itself" {
		t.Errorf("%v %v", names, err)
	}
}

func TestARefusalOfAPropertyIsReturned(t *testing.T) {
	start := &driverpb.Start{Properties: map[string]string{"a": "1"}}
	if _, err := SetProperties(start, nil, func(key, _ string) error { return Refuse("no %s", key) }); err == nil {
		t.Error("the refusal of a property is lost")
	}
}

func TestScalars(t *testing.T) {
	for text, is := range map[string]bool{"1": true, "-2.5": true, "true": true, "false": true, "yes": false, "1s": false, "": false} {
		if IsScalar(text) != is {
			t.Errorf("%q: %v", text, !is)
		}
	}
}
