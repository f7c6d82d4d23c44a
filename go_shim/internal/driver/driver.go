// Package driver is the part that all Go drivers share: the Attach stream of driver.proto, the clock, the events, the
// running instances, their workloads. A driver adds one Library.
package driver

import (
	"fmt"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// Library describes the client library of a driver.
type Library struct {
	Family   string
	Version  string   // as the library itself reports it
	Roles    []string // of this version
	Profiles []string // of this version
	// Open builds a client, calls out.Ready once it is constructed, and starts its workload. It may block. An
	// Unsupported error ends the instance as `unsupported`, any other error as `fatal`.
	Open func(start *driverpb.Start, out *Instance) (Client, error)
	// Describe converts an error, with its protocol code where the library has one.
	Describe func(error) *driverpb.Error
}

// Client is the library's client of one running instance.
type Client interface {
	// Close closes the client as an application does; it returns when the library reports that it is closed.
	Close()
}

// Unsupported names a role, profile or property that this version of the library does not have.
type Unsupported struct{ Text string }

func (u Unsupported) Error() string { return u.Text }

// Refuse returns an Unsupported error.
func Refuse(format string, args ...any) error { return Unsupported{fmt.Sprintf(format, args...)} }

var zero = time.Now()

// Clock returns the driver's monotonic clock in microseconds.
func Clock() int64 { return time.Since(zero).Microseconds() }

// Value returns the value of a record (driver.proto, last paragraph).
func Value(instance string, partition int32, sequence, clock int64) string {
	return fmt.Sprintf("%s %d %d %d", instance, partition, sequence, clock)
}
