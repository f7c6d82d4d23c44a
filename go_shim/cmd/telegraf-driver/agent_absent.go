//go:build !telegraf

package main

import (
	"fmt"
	"os"
)

// runAgent says that this program was built without the agent.
func runAgent(path string) int {
	fmt.Fprintf(os.Stderr, "E! [telegraf] built without Telegraf; %s is not read\n", path)
	return 2
}

// library tells the defaults of the Kafka client inside Telegraf; here there is none.
func library() any { return &struct{}{} }
