// Command api-survey prints what a broker does with every version of every API that it advertises, as JSON:
//
//	api-survey 127.0.0.1:9092
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/survey"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: api-survey HOST:PORT")
		os.Exit(2)
	}
	found, err := survey.Ask(os.Args[1])
	if err == nil {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", " ")
		err = encoder.Encode(found)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
