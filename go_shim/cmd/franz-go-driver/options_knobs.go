//go:build knobs

package main

import "github.com/twmb/franz-go/pkg/kgo"

func init() {
	options["ConcurrentTransactionsBackoff"] = duration(kgo.ConcurrentTransactionsBackoff)
	options["DisableFetchSessions"] = flag(kgo.DisableFetchSessions)
	options["MaxProduceRequestsInflightPerBroker"] = number(kgo.MaxProduceRequestsInflightPerBroker)
	options["UnknownTopicRetries"] = number(kgo.UnknownTopicRetries)
}
