//go:build rebootstrap

package main

import (
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kgo"
)

// With `seeds` the application's function names the configured addresses again, as that of redpanda-data/connect #4476.
func init() {
	optionsOfStart["OnRebootstrapRequired"] = func(start *driverpb.Start, text string) ([]kgo.Opt, error) {
		if text != "seeds" {
			return nil, driver.Refuse("OnRebootstrapRequired cannot be %q", text)
		}
		return []kgo.Opt{kgo.OnRebootstrapRequired(func() ([]string, error) { return start.Bootstrap, nil })}, nil
	}
}
