package driver

import (
	"maps"
	"slices"
	"strings"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// Profile is a named configuration: settings under the library's own names, over its defaults.
type Profile struct {
	Set     map[string]string
	Writing bool // has no meaning for a role that writes no records
	Bare    bool // the library's own defaults: the refresh interval is not set either
}

// Writing is a profile with one setting, which concerns roles that write records.
func Writing(key, value string) Profile {
	return Profile{Writing: true, Set: map[string]string{key: value}}
}

// Profiles are the profiles of a library, by name.
type Profiles map[string]Profile

// Names lists the profiles in order.
func (p Profiles) Names() []string { return slices.Sorted(maps.Keys(p)) }

// Choose returns the profile of an instance; Unsupported if there is none, or if it has no meaning for the role.
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

// ExactVersion completes a Kafka release line to the form that sarama parses: three parts, four before 1.0.
func ExactVersion(line string) string {
	parts := 3
	if strings.HasPrefix(line, "0.") {
		parts = 4
	}
	for strings.Count(line, ".")+1 < parts {
		line += ".0"
	}
	return line
}
