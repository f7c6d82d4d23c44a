package driver

import (
	"maps"
	"slices"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// Profile is a named configuration: settings under the library's own names, over its defaults.
type Profile struct {
	Set     map[string]string
	Writing bool // it says nothing to a role that writes no records
	Bare    bool // the library's own defaults: its refresh interval is left alone
}

// Profiles are a library's, by name.
type Profiles map[string]Profile

// Names lists them in order.
func (p Profiles) Names() []string { return slices.Sorted(maps.Keys(p)) }

// Choose finds the profile that an instance asks for; Unsupported where there is none, or it means nothing to the role.
func (p Profiles) Choose(family string, start *driverpb.Start) (Profile, error) {
	chosen, known := p[start.Profile]
	if !known {
		return Profile{}, Refuse("%s has no profile %q", family, start.Profile)
	}
	writes := start.Role == "producer" || start.Role == "transactional"
	if chosen.Writing && !writes {
		return Profile{}, Refuse("profile %s concerns producers, a %s writes nothing", start.Profile, start.Role)
	}
	return chosen, nil
}

// Partition sets the partition of an event that is about no single operation.
func Partition(partition int32) func(*driverpb.Event) { return At(partition, -1) }
