package sasl

import (
	"bytes"
	"crypto/subtle"
	"time"
)

const plainName = "PLAIN"

// refusal is the reason of a log-in that fails, in Kafka's words.
type refusal string

func (r refusal) Error() string { return string(r) }

// errPassword is the reason of PlainSaslServer, for an unknown user, too.
const errPassword = refusal("Authentication failed: Invalid username or password")

// refused returns the reason of SaslServerAuthenticator for every other failure of a mechanism.
func refused(mechanism string) error {
	return refusal("Authentication failed during authentication due to invalid credentials with SASL mechanism " + mechanism)
}

// plainExchange is a log-in by RFC 4616: one message with the user and the password.
type plainExchange struct {
	passwords map[string]string
	name      string
}

func (p *plainExchange) user() string { return p.name }

func (p *plainExchange) expires() time.Time { return time.Time{} }

func (p *plainExchange) next(token []byte) ([]byte, bool, error) {
	const parts = 3 // the user to act for, the user, the password
	found := bytes.Split(token, []byte{0})
	if len(found) != parts {
		return nil, false, refused(plainName)
	}
	as, name, password := string(found[0]), string(found[1]), found[2]
	known, ok := p.passwords[name]
	if !ok || subtle.ConstantTimeCompare([]byte(known), password) != 1 || as != "" && as != name {
		return nil, false, errPassword
	}
	p.name = name
	return []byte{}, true, nil
}
