//go:build !telegraf

package main

import (
	"fmt"
	"os"
)

// runAgent reports that this program was built without the agent.
func runAgent(path string) int {
	fmt.Fprintf(os.Stderr, "E! [telegraf] built without Telegraf; %s is not read\n", path)
	return 2
}

// library returns the configuration of the Kafka client inside Telegraf; there is none here.
func library() any { return &struct{}{} }
