// Package rules is the rule table of the front: a request and a time in, a decision out. It uses no sockets.
package rules

import "time"

// Object is the subject of one row of a request: a partition, a whole topic (Partition -1), or a coordinator's key.
type Object struct {
	Topic     string
	Partition int32
	Epoch     int32 // the client's leader epoch; the node that an ApiVersions names; -1 = none
	Keyed     bool
	KeyType   int8 // 0 group, 1 transaction
	Key       string
}

// Call is one request in the terms of the rules.
type Call struct {
	Broker       int32
	API, Version int16
	Acks         int16    // Produce only
	Objects      []Object // at least one; a request without a subject has one empty object
	Topics       []Object // of a keyed request: its partitions
	Bootstrap    bool     // over the address that Metadata does not name
}

// Kind is the treatment of a request.
type Kind int

// The kinds, from the mildest to the most severe.
const (
	Forward Kind = iota // to the state machine, except the objects in Codes
	Hold                // wait for Until, then decide again
	Park                // wait for the next change of state, then decide again
	Mute                // no response
	Close               // close the connection
)

// Code is an error for one object.
type Code struct {
	Code  int16
	Apply bool // the request is executed nevertheless
}

// Decision is the treatment that the rules select for a call.
type Decision struct {
	Kind  Kind
	Until time.Time    // Hold
	Rule  string       // Hold: the id of the rule
	Codes map[int]Code // Forward: by index of Call.Objects
	Lose  bool         // Forward: the connection is closed in place of the response
	Hits  []string     // ids of rules that applied for the first time
	Spent []string     // ids of counted rules that applied for the last time
}

// Plain reports whether the request is served without any rule.
func (v Decision) Plain() bool { return v.Kind == Forward && len(v.Codes) == 0 && !v.Lose }
