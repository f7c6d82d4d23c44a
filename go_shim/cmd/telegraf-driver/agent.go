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

// runAgent is Telegraf's own command without its flags: it loads the configuration and works until it is told to end.
func runAgent(path string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	go func() { // the driver holds our standard input; when it is gone, so are we
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
	fmt.Fprintln(os.Stderr, loadedWords)
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
	return fmt.Errorf("agent.NewAgent of this version is %T, which this driver does not know", agent.NewAgent)
}

// load reads one file: with LoadAll where there is one, since that does more than LoadConfig.
func load(loaded any, path string) error {
	switch loader := loaded.(type) {
	case interface{ LoadAll(...string) error }:
		return loader.LoadAll(path)
	case interface{ LoadConfig(string) error }:
		return loader.LoadConfig(path)
	}
	return fmt.Errorf("this version's configuration cannot be loaded by a way that this driver knows")
}
