package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/survey"
)

// older are APIs of which the state machine lacks the oldest versions.
var older = map[string]bool{"Produce": true, "Fetch": true}

// empty are APIs whose empty requests real brokers keep or refuse with the connection; no client sends such requests.
var empty = map[string]bool{"AddPartitionsToTxn": true, "DescribeACLs": true, "OffsetFetch": true}

// TestAnswersAreThoseOfRealBrokers compares the fake with recorded brokers (benchmarks/broker_answers.py): it advertises
// no API and no version that they lack, and does the same with each version that both advertise.
func TestAnswersAreThoseOfRealBrokers(t *testing.T) {
	files, err := filepath.Glob("testdata/answers-*.json")
	fatal(t, err)
	if len(files) == 0 {
		t.Fatal("no recorded answers")
	}
	for _, file := range files {
		line := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "answers-"), ".json")
		raw, err := os.ReadFile(file)
		fatal(t, err)
		var recorded map[int16]survey.Found
		fatal(t, json.Unmarshal(raw, &recorded))
		bounds := "testdata/versions-3.json" // of Kafka's message definitions, as the engine gives them to the fake
		if strings.HasPrefix(line, "4") {
			bounds = "testdata/versions-4.json"
		}
		found, err := survey.Ask(start(t, line, "--versions", bounds).brokers[1])
		fatal(t, err)
		for api, fake := range found {
			compare(t, line, fake, recorded[api])
		}
	}
}

func compare(t *testing.T, line string, fake, real survey.Found) {
	t.Helper()
	if fake.Max > real.Max || fake.Min < real.Min || fake.Min > real.Min && !older[fake.API] {
		t.Errorf("%s: %s is advertised from %d to %d, by real brokers from %d to %d", line, fake.API, fake.Min, fake.Max, real.Min, real.Max)
		return
	}
	for i, answer := range fake.Answers {
		version := fake.Min + int16(i)
		if want := real.Answers[version-real.Min]; answer != want && !empty[fake.API] {
			t.Errorf("%s: %s v%d is %s, by real brokers %s", line, fake.API, version, answer, want)
		}
	}
}
