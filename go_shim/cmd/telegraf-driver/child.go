package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

const (
	// startLimit bounds the agent's start; it connects to Kafka first, and once more after 15 s.
	startLimit = 40 * time.Second
	// stopLimit is the time after which an agent that does not end is killed; the instance is fatal by then.
	stopLimit = 20 * time.Second
)

// child is a running agent.
type child struct {
	out     *driver.Instance
	command *exec.Cmd
	folder  string
	held    io.WriteCloser // its standard input; it ends when that closes
	loaded  chan struct{}  // closed once it has read its configuration
	ended   chan struct{}
	serving atomic.Bool // `ready` was reported: an end is fatal
	closing atomic.Bool

	mu    sync.Mutex
	last  string   // its last warning or error
	ready bool     // `ready` was reported
	early []string // what it logged before that
}

// start writes the configuration and starts the agent with it; `lines` receives every line of its standard output.
func start(c *configuration, out *driver.Instance, folder string, lines func(string)) (*child, error) {
	path := filepath.Join(folder, "telegraf.conf")
	if err := os.WriteFile(path, []byte(c.text()), 0o600); err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	agent := &child{
		out: out, command: exec.Command(program, agentCommand, path), folder: folder,
		loaded: make(chan struct{}), ended: make(chan struct{}),
	}
	if agent.held, err = agent.command.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := agent.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	logged, err := agent.command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := agent.command.Start(); err != nil {
		return nil, err
	}
	var readers sync.WaitGroup
	readers.Go(func() { eachLine(output, lines) })
	readers.Go(func() { eachLine(logged, agent.takeLog) })
	go agent.wait(&readers)
	return agent, nil
}

// eachLine calls `do` with every line until the stream ends.
func eachLine(stream io.Reader, do func(string)) {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		do(lines.Text())
	}
	_, _ = io.Copy(io.Discard, stream) // the rest after a line that is too long
}

// takeLog reports the warnings and errors of the agent's log.
func (a *child) takeLog(line string) {
	if line == loadedLine {
		close(a.loaded)
		return
	}
	at := strings.Index(line, "E! ")
	if at < 0 {
		at = strings.Index(line, "W! ")
	}
	if at < 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = line[at:]
	if !a.ready {
		a.early = append(a.early, a.last)
		return
	}
	a.out.Notice("%s", a.last)
}

// reportReady reports `ready`, the first event of an instance, and then what was logged before.
func (a *child) reportReady(settings map[string]string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.out.Ready(settings)
	a.out.Notice("telegraf %s with %s", version(), inside())
	for _, line := range a.early {
		a.out.Notice("%s", line)
	}
	a.ready, a.early = true, nil
}

func (a *child) lastLine() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}

func (a *child) wait(readers *sync.WaitGroup) {
	readers.Wait()
	_ = a.command.Wait()
	close(a.ended)
	if a.serving.Load() {
		a.reportEnd()
	}
}

// serve reports `ready`; from now on an agent that ends by itself is fatal.
func (a *child) serve(settings map[string]string) {
	_ = os.RemoveAll(a.folder) // the agent has read the file and does not listen again
	a.reportReady(settings)
	a.serving.Store(true)
	select {
	case <-a.ended:
		a.reportEnd()
	default:
	}
}

func (a *child) reportEnd() {
	if !a.closing.Load() {
		text := a.command.ProcessState.String()
		a.out.Fatal(&driverpb.Error{Code: -1, Type: "exit", Text: text}, "the agent ended by itself: %s: %s", text, a.lastLine())
	}
}

// until polls `ready`. It returns the reason once the agent has ended, or after the limit.
func (a *child) until(ready func() bool, c *configuration) error {
	for deadline := time.Now().Add(startLimit); time.Now().Before(deadline) && !a.gone(); {
		if ready() {
			return nil
		}
		select {
		case <-a.ended:
		case <-time.After(10 * time.Millisecond):
		}
	}
	if refusal := a.refused(c); refusal != nil {
		return refusal
	}
	return fmt.Errorf("the agent does not work: %s", a.lastLine())
}

func (a *child) gone() bool { return closed(a.ended) }

func (a *child) read() bool { return closed(a.loaded) }

func closed(channel <-chan struct{}) bool {
	select {
	case <-channel:
		return true
	default:
		return false
	}
}

// refused returns an error if the agent ended because of a property.
func (a *child) refused(c *configuration) error {
	for _, key := range c.properties {
		if name := key[strings.LastIndex(key, ".")+1:]; strings.Contains(a.lastLine(), name) {
			return driver.Refuse("telegraf %s rejects %s: %s", version(), key, a.lastLine())
		}
	}
	return nil
}

// stop ends the agent by SIGTERM, as an operator does, and waits for it.
func (a *child) stop() {
	a.closing.Store(true)
	_ = a.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-a.ended:
	case <-time.After(stopLimit):
		_ = a.command.Process.Kill()
		<-a.ended
	}
	_ = a.held.Close()
	_ = os.RemoveAll(a.folder)
}
