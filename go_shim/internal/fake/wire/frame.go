// Package wire reads and writes Kafka's frames and takes requests and responses apart; it holds no state.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// MaxFrame is the largest frame in bytes, as in the default of a broker's socket.request.max.bytes (100 MiB).
const MaxFrame = 100 << 20

// ErrFrame marks input after which a broker closes the connection.
var ErrFrame = errors.New("not a Kafka frame")

// ReadFrame reads one frame without its length prefix.
func ReadFrame(r io.Reader) ([]byte, error) {
	return ReadLimited(r, func() int32 { return MaxFrame })
}

// ReadLimited reads one frame, up to the limit at the time when its length is known.
func ReadLimited(r io.Reader, limit func() int32) ([]byte, error) {
	var prefix [4]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, err
	}
	size := int32(binary.BigEndian.Uint32(prefix[:]))
	if size < 0 || size > limit() {
		return nil, fmt.Errorf("%w: of %d bytes", ErrFrame, size)
	}
	frame := make([]byte, size)
	_, err := io.ReadFull(r, frame)
	return frame, err
}

// Header is a request's header.
type Header struct {
	API, Version int16
	Correlation  int32
	ClientID     string
}

// ReadHeader reads a request's header and returns the rest of the frame, which still starts with the header's tags if
// the version is flexible.
func ReadHeader(frame []byte) (Header, []byte, error) {
	if len(frame) < 10 {
		return Header{}, nil, fmt.Errorf("%w: %d bytes are no request header", ErrFrame, len(frame))
	}
	reader := kbin.Reader{Src: frame}
	header := Header{API: reader.Int16(), Version: reader.Int16(), Correlation: reader.Int32()}
	if id := reader.NullableString(); id != nil {
		header.ClientID = *id
	}
	if !reader.Ok() {
		return Header{}, nil, fmt.Errorf("%w: short request header", ErrFrame)
	}
	return header, reader.Src, nil
}

// ReadRequest decodes a request's body.
func ReadRequest(header Header, rest []byte) (kmsg.Request, error) {
	req := kmsg.RequestForKey(header.API)
	if req == nil {
		return nil, fmt.Errorf("%w: unknown API key %d", ErrFrame, header.API)
	}
	req.SetVersion(header.Version)
	reader := kbin.Reader{Src: rest}
	if req.IsFlexible() {
		skipTags(&reader)
	}
	if err := req.ReadFrom(reader.Src); err != nil {
		return nil, fmt.Errorf("%w: %s v%d: %w", ErrFrame, kmsg.NameForKey(header.API), header.Version, err)
	}
	return req, nil
}

// skipTags is kmsg.SkipTags that ends with the frame: a tag count of 2^32 would occupy a core for minutes.
func skipTags(reader *kbin.Reader) {
	for left := reader.Uvarint(); left > 0 && reader.Ok(); left-- {
		reader.Uvarint()
		reader.Span(int(reader.Uvarint()))
	}
}

// AppendResponse appends a whole response with its length prefix.
func AppendResponse(dst []byte, resp kmsg.Response, correlation int32) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = binary.BigEndian.AppendUint32(dst, uint32(correlation))
	if resp.IsFlexible() && resp.Key() != int16(kmsg.ApiVersions) {
		dst = append(dst, 0) // no tags; ApiVersions keeps the old header in all versions
	}
	dst = resp.AppendTo(dst)
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}

// ReadResponse decodes the response to req.
func ReadResponse(req kmsg.Request, frame []byte) (kmsg.Response, error) {
	resp := req.ResponseKind()
	reader := kbin.Reader{Src: frame}
	reader.Int32()
	if resp.IsFlexible() && resp.Key() != int16(kmsg.ApiVersions) {
		kmsg.SkipTags(&reader)
	}
	if !reader.Ok() {
		return nil, fmt.Errorf("%w: short response", ErrFrame)
	}
	return resp, resp.ReadFrom(reader.Src)
}
