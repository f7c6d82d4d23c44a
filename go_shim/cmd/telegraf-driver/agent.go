//go:build telegraf

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/influxdata/telegraf/agent"
	"github.com/influxdata/telegraf/config"
	_ "github.com/influxdata/telegraf/plugins/inputs/kafka_consumer"
	_ "github.com/influxdata/telegraf/plugins/inputs/socket_listener"
	_ "github.com/influxdata/telegraf/plugins/outputs/file"
	_ "github.com/influxdata/telegraf/plugins/outputs/kafka"
	_ "github.com/influxdata/telegraf/plugins/parsers/influx"
	_ "github.com/influxdata/telegraf/plugins/parsers/value"
	_ "github.com/influxdata/telegraf/plugins/serializers/influx"
)

// runAgent is Telegraf's own command without its flags: it loads the configuration and runs until a signal.
func runAgent(path string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	go func() { // the driver holds the standard input; the agent ends with it
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	err := run(ctx, path)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(os.Stderr, "E! [telegraf] %v\n", err)
		return 1
	}
	return 0
}

func run(ctx context.Context, path string) error {
	loaded := config.NewConfig()
	if err := load(loaded, path); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, loadedLine)
	// NewAgent stopped returning an error.
	switch create := any(agent.NewAgent).(type) {
	case func(*config.Config) *agent.Agent:
		return create(loaded).Run(ctx)
	case func(*config.Config) (*agent.Agent, error):
		created, err := create(loaded)
		if err != nil {
			return err
		}
		return created.Run(ctx)
	}
	return fmt.Errorf("agent.NewAgent of this version is %T, unknown to this driver", agent.NewAgent)
}

// load reads one file, by LoadAll where it exists, since that does more than LoadConfig.
func load(loaded any, path string) error {
	switch loader := loaded.(type) {
	case interface{ LoadAll(...string) error }:
		return loader.LoadAll(path)
	case interface{ LoadConfig(string) error }:
		return loader.LoadConfig(path)
	}
	return fmt.Errorf("the configuration of this version has no load function known to this driver")
}
