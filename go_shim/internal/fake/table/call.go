// Package table is the rule table of the front: a call and a moment in, what to do out. It knows no sockets.
package table

import "time"

// Object is what one row of a request is about: a partition, a whole topic (Partition -1), or a coordinator's key.
type Object struct {
	Topic     string
	Partition int32
	Epoch     int32 // the leader epoch that the client sent, -1 = none
	Keyed     bool
	KeyType   int8 // 0 group, 1 transaction
	Key       string
}

// Call is one request as the table sees it.
type Call struct {
	Broker       int32
	API, Version int16
	Acks         int16    // Produce only
	Objects      []Object // at least one; a request about nothing in particular has one empty object
	Topics       []Object // of a keyed request: the partitions named in it
}

// Kind is what becomes of a request.
type Kind int

// The kinds, from the mildest.
const (
	Forward Kind = iota // to the state machine, but for the objects in Codes
	Hold                // keep it until Until, then ask again
	Park                // keep it until the state changes, then ask again
	Mute                // never answer
	Close               // close the connection
)

// Code is an error for one object.
type Code struct {
	Code  int16
	Apply bool // the work is done nevertheless
}

// Verdict is what the table says about a call.
type Verdict struct {
	Kind  Kind
	Until time.Time    // Hold
	Rule  string       // Hold: the rule that holds it
	Codes map[int]Code // Forward: by index of Call.Objects
	Lose  bool         // Forward: the answer is lost with its connection
	Hits  []string     // rules that were used for the first time
	Spent []string     // counted rules that were used for the last time
}

// Plain reports whether the call goes through untouched.
func (v Verdict) Plain() bool { return v.Kind == Forward && len(v.Codes) == 0 && !v.Lose }
