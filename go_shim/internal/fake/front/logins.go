package front

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/sasl"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	illegalSASLState = 34

	longestUnknown = 512 << 10              // bytes of a frame before a log-in (sasl.server.max.receive.size)
	refusalPause   = 100 * time.Millisecond // connection.failed.authentication.delay.ms (KIP-306)
)

// errRefused ends a connection after its last response.
var errRefused = errors.New("the log-in is refused")

// listenerOf reads a change of what listeners ask for; nil without mechanisms.
func (f *Front) listenerOf(s *clusterpb.Security) (*sasl.Listener, error) {
	if len(s.Mechanisms) == 0 {
		return nil, nil
	}
	made, err := sasl.NewListener(s.Mechanisms, s.Passwords, time.Duration(s.SessionMs)*time.Millisecond, s.TokenKey)
	if err == nil {
		made.ChecksNonce, made.RefusesFirstToken = f.release.ChecksNonces(), s.RefuseFirstToken
	}
	return made, err
}

// longest returns the bytes that the next frame may have.
func (c *conn) longest() int32 {
	if c.front.logins.Load() != nil && !c.known.Load() {
		return longestUnknown
	}
	return wire.MaxFrame
}

// logIn serves the requests of a log-in, and refuses others before it; `served` is false for a request of one that is
// logged in, or where nobody logs in.
func (c *conn) logIn(req kmsg.Request) (resp kmsg.Response, served bool, err error) {
	asked := c.front.logins.Load()
	if asked == nil {
		if key := kmsg.Key(req.Key()); key != kmsg.SASLHandshake && key != kmsg.SASLAuthenticate {
			return nil, false, nil
		}
		resp, err = wire.Shape(req, illegalSASLState)
		return resp, true, err
	}
	resp, action := c.login.Take(asked, req, time.Now())
	c.known.Store(c.login.Known())
	switch action {
	case sasl.Pass:
		return nil, false, nil
	case sasl.Reply:
		return resp, true, nil
	case sasl.Close:
		return nil, true, errClosed
	case sasl.Shape:
		if resp, err = wire.Shape(req, illegalSASLState); err != nil {
			return nil, true, errClosed
		}
	}
	c.pause()
	return resp, true, errRefused
}

// token serves a token without a header (SaslHandshake v0); a refused one closes the connection without a word.
func (c *conn) token(frame []byte) error {
	reply, err := c.login.Token(frame, time.Now())
	c.known.Store(c.login.Known())
	if err != nil {
		c.pause()
		return errClosed
	}
	_, err = c.raw.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(reply))), reply...))
	return err
}

// pause delays the answer to a log-in that fails.
func (c *conn) pause() {
	if !c.front.release.DelaysRefusals() {
		return
	}
	select {
	case <-time.After(refusalPause):
	case <-c.gone:
	}
}
