package driver

import "sync"

// EarlyLog passes the lines of an application's log on to an instance. What comes before `ready`, the first event of an
// instance, is passed on after it.
type EarlyLog struct {
	Out *Instance

	mu        sync.Mutex
	ready     bool
	early     []string
	lastError string
}

// Line passes a line on.
func (l *EarlyLog) Line(line string, isError bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if isError {
		l.lastError = line
	}
	if !l.ready {
		l.early = append(l.early, line)
		return
	}
	l.Out.Notice("%s", line)
}

// Begin reports `ready`, what runs, and what was logged before.
func (l *EarlyLog) Begin(settings map[string]string, runs string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Out.Ready(settings)
	l.Out.Notice("%s", runs)
	for _, line := range l.early {
		l.Out.Notice("%s", line)
	}
	l.ready, l.early = true, nil
}

// LastError returns the last line that was an error; empty = none.
func (l *EarlyLog) LastError() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastError
}
