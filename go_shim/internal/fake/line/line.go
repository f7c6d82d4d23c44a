// Package line holds what a Kafka line, such as 3.9, changes in a broker's answers.
package line

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// Line is one Kafka line, major.minor.
type Line struct {
	Name         string
	Caps         *kversion.Versions // highest version of each API that this line knows
	major, minor int
}

// Range is the versions of one API that a broker serves, both ends included.
type Range struct{ Min, Max int16 }

var pattern = regexp.MustCompile(`^(\d+)\.(\d+)(?:\.\d+){0,2}$`)

// Parse reads a line or an exact version ("3.9", "3.9.2"). The error is one line that names the way out.
func Parse(name string) (*Line, error) {
	m := pattern.FindStringSubmatch(name)
	caps := kversion.FromString(name) // nil means "uncapped" to kfake, so it must never get there
	if m == nil || caps == nil {
		return nil, fmt.Errorf("unknown broker line %q: give one such as 3.9, 2.6 or 4.4", name)
	}
	if produce, _ := caps.LookupMaxKeyVersion(int16(kmsg.Produce)); produce < 3 {
		return nil, fmt.Errorf("broker line %q cannot be embedded: it knows Produce only below version 3; use the kafka engine", name)
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return &Line{Name: name, Caps: caps, major: major, minor: minor}, nil
}

// AtLeast reports whether this line is major.minor or newer.
func (l *Line) AtLeast(major, minor int) bool {
	return l.major > major || l.major == major && l.minor >= minor
}

// Code is what this line's broker really sends where its storage said code: KAFKA_STORAGE_ERROR (56) became
// NOT_LEADER_OR_FOLLOWER (6) for Produce up to v3 on 1.0 to 2.7, and for Fetch up to v5 on all lines.
func (l *Line) Code(api, version, code int16) int16 {
	const storage, notLeader = 56, 6
	switch {
	case code != storage:
	case api == int16(kmsg.Produce) && version <= 3 && !l.AtLeast(2, 8):
		return notLeader
	case api == int16(kmsg.Fetch) && version <= 5:
		return notLeader
	}
	return code
}

// Hints reports whether answers of this API and version have a place for the new leader (KIP-951).
func (l *Line) Hints(api, version int16) bool {
	if !l.AtLeast(3, 7) {
		return false
	}
	return api == int16(kmsg.Produce) && version >= 10 || api == int16(kmsg.Fetch) && version >= 16
}

// FollowerFetch reports whether an in-sync replica that does not lead serves this Fetch version (KIP-392).
func (l *Line) FollowerFetch(version int16) bool { return l.AtLeast(2, 4) && version >= 11 }

// Bounds reads {"<apiKey>":[min,max]} as extracted from Kafka's own message definitions.
func Bounds(file string) (map[int16]Range, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("version bounds: %w", err)
	}
	var pairs map[int16][2]int16
	if err := json.Unmarshal(raw, &pairs); err != nil {
		return nil, fmt.Errorf("version bounds %s: want {\"<apiKey>\":[min,max]}: %w", file, err)
	}
	bounds := make(map[int16]Range, len(pairs))
	for key, pair := range pairs {
		bounds[key] = Range{pair[0], pair[1]}
	}
	return bounds, nil
}

// Below lowers served ranges to what this line knows; an API that it does not know, or knows lower versions of, is out.
func (l *Line) Below(served map[int16]Range) map[int16]Range {
	below := make(map[int16]Range, len(served))
	for api, r := range served {
		if highest, known := l.Caps.LookupMaxKeyVersion(api); known && highest >= r.Min {
			below[api] = Range{r.Min, min(r.Max, highest)}
		}
	}
	return below
}

// Served intersects what the state machine offers with the bounds. An API whose range inverts is left out, so it is
// neither advertised nor accepted; an API without bounds keeps its range.
func Served(offered []kmsg.ApiVersionsResponseApiKey, bounds map[int16]Range) map[int16]Range {
	served := make(map[int16]Range, len(offered))
	for _, key := range offered {
		r := Range{key.MinVersion, key.MaxVersion}
		if bound, ok := bounds[key.ApiKey]; ok {
			r = Range{max(r.Min, bound.Min), min(r.Max, bound.Max)}
		}
		if r.Min <= r.Max {
			served[key.ApiKey] = r
		}
	}
	return served
}
