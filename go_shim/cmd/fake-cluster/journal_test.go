package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// noted is one line of a journal in the form of its readers.
type noted struct {
	AtUs        int64 `json:"at_us"`
	What, From  string
	Broker      int32
	API         int16
	Version     int16
	Correlation int32
	ClientID    string `json:"client_id"`
}

func TestEveryRequestAndResponseIsRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	r := start(t, "3.9", "--log", path)
	r.topic("t", 2)
	c := r.raw(2)
	metadata := kmsg.NewPtrMetadataRequest()
	metadata.Version = 9
	c.ask(metadata)
	c.ask(produceTo(7, -1, "t", 0))
	c.send(produceTo(7, 0, "t", 0)) // gets no response
	c.ask(metadata)
	want := []noted{
		{What: "request", API: 3, Version: 9, Correlation: 1}, {What: "response", API: 3, Version: 9, Correlation: 1},
		{What: "request", Version: 7, Correlation: 2}, {What: "response", Version: 7, Correlation: 2},
		{What: "request", Version: 7, Correlation: 3},
		{What: "request", API: 3, Version: 9, Correlation: 4}, {What: "response", API: 3, Version: 9, Correlation: 4},
	}
	var got []noted
	eventually(t, "the last answer in the journal", func() bool {
		got = read(t, path)
		return len(got) >= len(want)
	})
	for i := range want {
		want[i].ClientID, want[i].Broker = "raw", 2
		want[i].From, want[i].AtUs = c.conn.LocalAddr().String(), got[i].AtUs
		if got[i] != want[i] {
			t.Errorf("line %d is %+v, not %+v", i, got[i], want[i])
		}
		if got[i].AtUs == 0 || i > 0 && got[i].AtUs < got[i-1].AtUs {
			t.Errorf("line %d has a time before the line above: %d", i, got[i].AtUs)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines, not %d", len(got), len(want))
	}
}

func read(t *testing.T, path string) []noted {
	t.Helper()
	file, err := os.Open(path)
	fatal(t, err)
	defer file.Close()
	var lines []noted
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		var l noted
		fatal(t, json.Unmarshal(scanner.Bytes(), &l))
		lines = append(lines, l)
	}
	return lines
}
