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

// Coded builds the error of a protocol code; `class` is the library's own constant or type and may be empty.
func Coded(code int32, class, text string) *driverpb.Error {
	return &driverpb.Error{Code: code, Name: ProtocolName(code), Type: class, Text: printable(text)}
}

// printable makes a text valid for a protobuf string.
func printable(text string) string { return strings.ToValidUTF8(text, "?") }

// Describe converts an error without a protocol code; its type is the most specific name in its chain.
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

// Class returns the name of a well-known error value, else the Go type of the innermost cause.
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
