// Package sasl is the broker's side of log-ins: what a listener asks for, and the state of one connection. It reads and
// writes no socket. The rules are those of Kafka's SaslServerAuthenticator, PlainSaslServer, ScramSaslServer and
// OAuthBearerSaslServer (4.4).
package sasl

import (
	"crypto/rsa"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Mechanisms are the names of those that a listener can have.
var Mechanisms = []string{plainName, scram256, scram512, oauthBearer}

// Listener is what one listener asks of its clients.
type Listener struct {
	mechanisms []string
	passwords  map[string]string
	scram      map[string]map[string]credential // by mechanism and user
	session    time.Duration
	tokenKey   *rsa.PublicKey // of the signatures of OAUTHBEARER's tokens; nil: every token is refused

	// RefusesFirstToken lets every broker refuse the first token that it is given, and take the same one from then on, as
	// brokers do whose set of keys is older than the token's: they refuse it and fetch the keys anew (maybeExpediteRefresh
	// of RefreshingHttpsJwks, Kafka 4.4).
	RefusesFirstToken bool
	asked             sync.Map // brokers that were given a token

	// ChecksNonce refuses a final message of SCRAM that does not end with the nonce of both (CVE-2024-56128).
	ChecksNonce bool
}

// NewListener returns a listener with these mechanisms; sessions end after `session`, never if it is 0. `tokenKey` (PEM) is
// the public key of the tokens' signatures.
func NewListener(mechanisms []string, passwords map[string]string, session time.Duration, tokenKey string) (*Listener, error) {
	key, err := publicKey(tokenKey)
	if err != nil {
		return nil, err
	}
	l := &Listener{mechanisms: mechanisms, passwords: passwords, session: session, tokenKey: key, scram: map[string]map[string]credential{}}
	for _, name := range mechanisms {
		if !slices.Contains(Mechanisms, name) {
			return nil, fmt.Errorf("there is no mechanism %q; known are %v", name, Mechanisms)
		}
		if hashes[name] == nil {
			continue
		}
		l.scram[name] = map[string]credential{}
		for user, password := range passwords {
			made, err := newCredential(hashes[name], password)
			if err != nil {
				return nil, err
			}
			l.scram[name][user] = made
		}
	}
	return l, nil
}

// exchange is the messages of one log-in.
type exchange interface {
	// next takes a client's message and returns the broker's; `done` ends the log-in well, an error ends it badly.
	next(token []byte) (reply []byte, done bool, err error)
	user() string
	// expires returns when the credential is over; the zero time for one that never is.
	expires() time.Time
}

func (l *Listener) begin(mechanism string, broker int32, now time.Time) exchange {
	switch mechanism {
	case plainName:
		return &plainExchange{passwords: l.passwords}
	case oauthBearer:
		return &bearerExchange{key: l.tokenKey, began: now, refuses: func() bool { return l.refusesFirst(broker) }}
	}
	return &scramExchange{mechanism: mechanism, hash: hashes[mechanism], credentials: l.scram[mechanism], checksNonce: l.ChecksNonce}
}

// refusesFirst reports whether a broker refuses a token because it is the first one.
func (l *Listener) refusesFirst(broker int32) bool {
	if !l.RefusesFirstToken {
		return false
	}
	_, given := l.asked.LoadOrStore(broker, struct{}{})
	return !given
}

// sessionEnd returns when the session of a log-in is over: at the end of its credential, and no later than the listener
// says; the zero time where it never is (calcCompletionTimesAndReturnSessionLifetimeMs of SaslServerAuthenticator).
func (l *Listener) sessionEnd(now, credential time.Time) time.Time {
	if l.session == 0 {
		return credential
	}
	if asked := now.Add(l.session); credential.IsZero() || asked.Before(credential) {
		return asked
	}
	return credential
}
