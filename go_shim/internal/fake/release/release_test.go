package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func parse(t *testing.T, name string) *Release {
	t.Helper()
	l, err := Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"0.11.0", "1.1", "2.6", "2.8", "3.4", "3.9", "3.9.2", "4.0", "4.1", "4.4"} {
		parse(t, name)
	}
	for name, way := range map[string]string{"0.11": "unknown", "bogus": "unknown", "": "unknown", "5.9": "unknown", "0.10.2": "kafka engine"} {
		if _, err := Parse(name); err == nil || !strings.Contains(err.Error(), way) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestStorageErrorByRelease(t *testing.T) {
	t.Parallel()
	cases := []struct {
		release            string
		api, version, want int16
	}{
		{"2.6", 0, 3, 6}, {"2.6", 0, 4, 56}, {"2.7", 0, 3, 6}, {"2.8", 0, 3, 56}, {"3.9", 0, 3, 56}, {"1.1", 0, 3, 6},
		{"3.9", 1, 5, 6}, {"3.9", 1, 6, 56}, {"2.6", 1, 5, 6}, {"2.6", 2, 1, 56},
	}
	for _, c := range cases {
		if got := parse(t, c.release).Code(c.api, c.version, 56); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	if got := parse(t, "2.6").Code(0, 3, 7); got != 7 {
		t.Errorf("another code became %d", got)
	}
}

func TestHintsAndFollowerFetch(t *testing.T) {
	t.Parallel()
	cases := []struct {
		release      string
		api, version int16
		want         bool
	}{{"3.9", 0, 10, true}, {"3.9", 0, 9, false}, {"3.9", 1, 16, true}, {"3.9", 1, 15, false}, {"3.6", 1, 16, false}, {"3.7", 0, 10, true}, {"3.9", 2, 20, false}}
	for _, c := range cases {
		if got := parse(t, c.release).Hints(c.api, c.version); got != c.want {
			t.Errorf("hints %+v: %v", c, got)
		}
	}
	if parse(t, "2.3").FollowerFetch(11) || parse(t, "2.4").FollowerFetch(10) || !parse(t, "2.4").FollowerFetch(11) {
		t.Error("follower fetch")
	}
}

func TestServedIntersectsAndDropsEmptyRanges(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "versions.json")
	if err := os.WriteFile(file, []byte(`{"11":[2,9],"23":[0,1],"99":[0,1]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	bounds, err := ReadBounds(file)
	if err != nil {
		t.Fatal(err)
	}
	served := Served([]kmsg.ApiVersionsResponseApiKey{
		{ApiKey: 11, MinVersion: 0, MaxVersion: 5}, {ApiKey: 23, MinVersion: 3, MaxVersion: 4}, {ApiKey: 0, MinVersion: 3, MaxVersion: 2}, {ApiKey: 1, MinVersion: 4, MaxVersion: 12},
	}, bounds)
	want := map[int16]VersionRange{11: {2, 5}, 1: {4, 12}}
	if len(served) != len(want) || served[11] != want[11] || served[1] != want[1] {
		t.Errorf("%v", served)
	}
	if _, err := ReadBounds(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("want an error for a missing file")
	}
}
