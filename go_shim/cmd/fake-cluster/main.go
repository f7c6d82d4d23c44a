// Command fake-cluster plays three Kafka brokers for one cell; the contract of its control port is cluster.proto.
//
// It ends within a second after the end of its standard input, SIGTERM or SIGINT. It starts no processes. With --log
// FILE it writes every request that it read and every response that it wrote, one JSON line each
// (internal/fake/front/journal.go).
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/backend"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/control"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/events"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/front"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/release"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
)

// options is the command line.
type options struct {
	release   *release.Release
	advertise []string
	bounds    map[int16]release.VersionRange
	log       string
	clusterID string
}

// ready is the one line on stdout.
type ready struct {
	Control   string   `json:"control"`
	Brokers   []string `json:"brokers"`
	Bootstrap string   `json:"bootstrap"`
}

func main() {
	runtime.GOMAXPROCS(1) // many clusters share the machine; threads that wake each other cost a tenth of the CPU
	opts, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake-cluster:", err)
		os.Exit(2)
	}
	if err := run(opts, ended(os.Stdin), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fake-cluster:", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	flags := flag.NewFlagSet("fake-cluster", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	broker := flags.String("broker", "3.9", "")
	advertise := flags.String("advertise", "", "")
	versions := flags.String("versions", "", "")
	log := flags.String("log", "", "")
	clusterID := flags.String("cluster-id", "", "")
	usage := "usage: fake-cluster --broker LINE --advertise HOST:PORT,HOST:PORT,HOST:PORT [--versions FILE] [--cluster-id ID] [--log FILE]"
	if err := flags.Parse(args); err != nil {
		return options{}, fmt.Errorf("%w; %s", err, usage)
	}
	if flags.NArg() > 0 {
		return options{}, fmt.Errorf("unexpected argument %q; %s", flags.Arg(0), usage)
	}
	r, err := release.Parse(*broker)
	if err != nil {
		return options{}, err
	}
	opts := options{release: r, log: *log, clusterID: *clusterID, advertise: strings.Split(*advertise, ",")}
	if len(opts.advertise) != len(topology.Brokers) {
		return options{}, fmt.Errorf("--advertise needs %d addresses, got %q; %s", len(topology.Brokers), *advertise, usage)
	}
	for _, address := range opts.advertise {
		if _, _, err := net.SplitHostPort(address); err != nil {
			return options{}, fmt.Errorf("--advertise %q: %w; %s", address, err, usage)
		}
	}
	if *versions != "" {
		if opts.bounds, err = release.ReadBounds(*versions); err != nil {
			return options{}, err
		}
	}
	return opts, nil
}

// ended returns a channel that closes at the end of the orchestrator or at a signal.
func ended(stdin io.Reader) <-chan struct{} {
	end := make(chan struct{})
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	eof := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, stdin) // an error means the same: the orchestrator is gone
		close(eof)
	}()
	go func() {
		select {
		case <-signals:
		case <-eof:
		}
		close(end)
	}()
	return end
}

// run serves until `end` closes.
func run(opts options, end <-chan struct{}, stdout io.Writer) error {
	b, err := backend.Start(opts.release, opts.advertise, opts.clusterID)
	if err != nil {
		return err
	}
	defer b.Close()
	log := events.NewLog()
	f, err := front.New(opts.release, opts.bounds, b, log, opts.advertise)
	if err != nil {
		return err
	}
	if opts.log != "" {
		file, err := os.Create(opts.log)
		if err != nil {
			return fmt.Errorf("--log: %w", err)
		}
		defer file.Close()
		f.Journal(file)
	}
	brokers, bootstrap, err := f.Listen()
	if err != nil {
		return err
	}
	defer f.Close()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("control port: %w", err)
	}
	defer listener.Close()
	server := control.New(f, b, log)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	if err := json.NewEncoder(stdout).Encode(ready{listener.Addr().String(), brokers, bootstrap}); err != nil {
		return err
	}
	select {
	case <-end:
		return nil
	case err := <-failed:
		return fmt.Errorf("control port: %w", err)
	}
}
