//go:build resolves_names

package main

// With brokers whose OffsetFetch has no topic ids, these versions send a Metadata request with every OffsetFetch
// (offsetFetchSharder.onResp in client.go). No discovery of this client would be evidence then, so committed offsets are
// not queried.
func init() { queriesCommitted = false }
