package sasl

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	unsupportedMechanism = 33
	illegalState         = 34
	failed               = 58

	leastPause = time.Second // between two log-ins of a connection (KafkaChannel.MIN_REAUTH_INTERVAL_ONE_SECOND_NANOS)
)

// Action is what becomes of a request.
type Action int

const (
	Pass  Action = iota // it is served as without log-ins
	Reply               // the response is the log-in's
	Shape               // it is answered with ILLEGAL_SASL_STATE, then the connection is closed
	Fail                // the response is the log-in's, after a pause, then the connection is closed
	Close               // the connection is closed without a response
)

// Login is the log-in of one connection. Calls for one connection must not overlap.
type Login struct {
	Broker int32 // of the connection

	listener  *Listener // of the log-in that runs or ran
	versions  bool      // ApiVersions was answered
	running   exchange
	mechanism string
	headers   bool   // tokens come in SaslAuthenticate (SaslHandshake v1), else bare
	name      string // who is logged in
	expires   time.Time
	again     time.Time // the last further log-in
}

// Bare reports whether the next frame is a token without a header, as after SaslHandshake v0.
func (l *Login) Bare() bool { return l.running != nil && !l.headers }

// Known reports whether somebody has logged in.
func (l *Login) Known() bool { return l.name != "" }

// Take decides on a request, at a listener that asks for log-ins now.
func (l *Login) Take(asked *Listener, req kmsg.Request, now time.Time) (kmsg.Response, Action) {
	switch req := req.(type) {
	case *kmsg.SASLHandshakeRequest:
		return l.handshake(asked, req, now)
	case *kmsg.SASLAuthenticateRequest:
		return l.authenticate(req, now)
	}
	switch {
	case l.running != nil:
		return nil, Shape
	case l.name != "":
		if !l.expires.IsZero() && now.After(l.expires) {
			return nil, Close
		}
		return nil, Pass
	case kmsg.Key(req.Key()) == kmsg.ApiVersions && !l.versions:
		l.versions = true
		return nil, Pass
	}
	return nil, Close
}

func (l *Login) handshake(asked *Listener, req *kmsg.SASLHandshakeRequest, now time.Time) (kmsg.Response, Action) {
	resp := req.ResponseKind().(*kmsg.SASLHandshakeResponse)
	if l.running != nil {
		resp.ErrorCode = illegalState
		return resp, Fail
	}
	if l.name != "" {
		if l.expires.IsZero() || now.Sub(l.again) < leastPause {
			resp.ErrorCode = illegalState
			return resp, Reply
		}
		l.again = now
	}
	resp.SupportedMechanisms = asked.mechanisms
	if !slices.Contains(asked.mechanisms, req.Mechanism) {
		resp.ErrorCode = unsupportedMechanism
		return resp, Fail
	}
	l.listener, l.running, l.mechanism, l.headers = asked, asked.begin(req.Mechanism, l.Broker, now), req.Mechanism, req.Version > 0
	return resp, Reply
}

func (l *Login) authenticate(req *kmsg.SASLAuthenticateRequest, now time.Time) (kmsg.Response, Action) {
	resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
	if l.running == nil {
		if l.name == "" {
			return nil, Close
		}
		resp.ErrorCode = illegalState
		text := "SaslAuthenticate request received after successful authentication"
		resp.ErrorMessage = &text
		return resp, Reply
	}
	reply, err := l.Token(req.SASLAuthBytes, now)
	if err != nil {
		text := err.Error()
		resp.ErrorCode, resp.ErrorMessage = failed, &text
		return resp, Fail
	}
	resp.SASLAuthBytes = reply
	if l.running == nil && !l.expires.IsZero() {
		resp.SessionLifetimeMillis = max(0, l.expires.Sub(now).Milliseconds())
	}
	return resp, Reply
}

// Token takes a token of the running log-in and returns the broker's; an error ends the log-in, for good.
func (l *Login) Token(token []byte, now time.Time) ([]byte, error) {
	reply, done, err := l.running.next(token)
	if err != nil || !done {
		return reply, err
	}
	if name := l.running.user(); l.name != "" && name != l.name {
		return nil, refusal("Cannot change principals during re-authentication from User:" + l.name + ": User:" + name)
	}
	l.name, l.expires = l.running.user(), l.listener.sessionEnd(now, l.running.expires())
	l.running = nil
	return reply, nil
}
