//go:build resolves_names

package main

// Against brokers whose OffsetFetch knows no topic ids, these versions ask for Metadata with each OffsetFetch
// (offsetFetchSharder.onResp in client.go). No discovery of this client would mean anything then, so committed offsets
// are not asked for.
func init() { questions = questions[:2] }
