package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// Coded builds the error of a protocol code; `name` of the library's own constant or class may be empty.
func Coded(code int32, class, text string) *driverpb.Error {
	return &driverpb.Error{Code: code, Name: ProtocolName(code), Type: class, Text: printable(text)}
}

// printable keeps what a broker or a library says fit for a protobuf string.
func printable(text string) string { return strings.ToValidUTF8(text, "?") }

// Describe tells an error that carries no protocol code, by the most telling name found in its chain.
func Describe(err error) *driverpb.Error {
	return &driverpb.Error{Code: -1, Type: Class(err), Text: printable(err.Error())}
}

var classes = []struct {
	err  error
	name string
}{
	{io.EOF, "io.EOF"},
	{io.ErrUnexpectedEOF, "io.ErrUnexpectedEOF"},
	{net.ErrClosed, "net.ErrClosed"},
	{os.ErrDeadlineExceeded, "os.ErrDeadlineExceeded"},
	{context.DeadlineExceeded, "context.DeadlineExceeded"},
	{context.Canceled, "context.Canceled"},
}

// Class names an error: a well-known value, else the Go type of its innermost cause.
func Class(err error) string {
	for _, known := range classes {
		if errors.Is(err, known.err) {
			return known.name
		}
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", err), "*")
}
