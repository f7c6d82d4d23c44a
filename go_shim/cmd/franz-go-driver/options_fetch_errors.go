//go:build fetch_errors

package main

import "github.com/twmb/franz-go/pkg/kgo"

func init() {
	options["DialTimeout"] = duration(kgo.DialTimeout)
	options["KeepRetryableFetchErrors"] = flag(kgo.KeepRetryableFetchErrors)
}
