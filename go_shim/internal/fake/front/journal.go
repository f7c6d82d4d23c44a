package front

import (
	"encoding/json"
	"io"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/events"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
)

// journal is the brokers' own record of requests and responses, one JSON line each, as a second witness next to the
// relay. A nil journal writes nothing.
type journal struct {
	mu  sync.Mutex
	out *json.Encoder
}

// entry is one line. From identifies the connection: it is the client's address.
type entry struct {
	AtUs        int64  `json:"at_us"`
	What        string `json:"what"` // request or response
	Broker      int32  `json:"broker"`
	From        string `json:"from"`
	API         int16  `json:"api"`
	Version     int16  `json:"version"`
	Correlation int32  `json:"correlation"`
	ClientID    string `json:"client_id"`
}

// Journal lets the brokers record every request, when its header was read, and every response, when it was written. It
// must be called before Listen.
func (f *Front) Journal(out io.Writer) { f.journal = &journal{out: json.NewEncoder(out)} }

func (j *journal) note(what string, c *conn, header wire.Header) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.out.Encode(entry{ // a full disk must not end the brokers; a reader of the file finds it truncated
		AtUs: events.Now(), What: what, Broker: c.broker, From: c.raw.RemoteAddr().String(),
		API: header.API, Version: header.Version, Correlation: header.Correlation, ClientID: header.ClientID,
	})
}
