// Package driver is what every Go driver shares: the Attach stream of proto/driver.proto, its clock, its events, and
// the table of running instances. A driver adds one Library.
package driver

import (
	"fmt"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// Library is what a driver knows of the client library it wraps.
type Library struct {
	Family   string
	Version  string   // what the library itself reports
	Roles    []string // that this version can play
	Profiles []string // that this version can be configured as
	// Open builds a client, calls out.Ready once it is constructed, and starts its work. It may block.
	// An Unsupported error ends the instance as `unsupported`, any other as `fatal`.
	Open func(start *driverpb.Start, out *Instance) (Client, error)
	// Describe tells an error with its protocol code, where the library gives one.
	Describe func(error) *driverpb.Error
}

// Client is one running instance of the library.
type Client interface {
	// Close closes it as an application would; it returns when the library says that it is closed.
	Close()
}

// Unsupported says what this library, in this version, cannot do.
type Unsupported struct{ Text string }

func (u Unsupported) Error() string { return u.Text }

// Refuse returns an Unsupported error.
func Refuse(format string, args ...any) error { return Unsupported{fmt.Sprintf(format, args...)} }

var zero = time.Now()

// Clock is the driver's monotonic clock in microseconds.
func Clock() int64 { return time.Since(zero).Microseconds() }

// Value is the text of a record, as proto/driver.proto lays it down.
func Value(instance string, partition int32, sequence, clock int64) string {
	return fmt.Sprintf("%s %d %d %d", instance, partition, sequence, clock)
}
