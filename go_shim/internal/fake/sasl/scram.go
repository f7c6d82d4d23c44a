package sasl

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"hash"
	"strings"
	"time"
)

const (
	scram256 = "SCRAM-SHA-256"
	scram512 = "SCRAM-SHA-512"

	iterations = 4096 // Kafka's default, and its least
	saltBytes  = 16
	nonceBytes = 18
)

var hashes = map[string]func() hash.Hash{scram256: sha256.New, scram512: sha512.New}

// credential is what a broker keeps of a password.
type credential struct{ salt, stored, server []byte }

func newCredential(h func() hash.Hash, password string) (credential, error) {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // it never fails
	salted, err := pbkdf2.Key(h, password, salt, iterations, h().Size())
	if err != nil {
		return credential{}, err
	}
	return credential{salt, digest(h, mac(h, salted, "Client Key")), mac(h, salted, "Server Key")}, nil
}

func mac(h func() hash.Hash, key []byte, text string) []byte {
	made := hmac.New(h, key)
	made.Write([]byte(text))
	return made.Sum(nil)
}

func digest(h func() hash.Hash, data []byte) []byte {
	made := h()
	made.Write(data)
	return made.Sum(nil)
}

// scramExchange is a log-in by RFC 5802, without channel binding: two messages of each side.
type scramExchange struct {
	mechanism   string
	hash        func() hash.Hash
	credentials map[string]credential
	checksNonce bool
	name, nonce string
	first       string // both first messages, as the proof covers them
}

func (s *scramExchange) user() string { return s.name }

func (s *scramExchange) expires() time.Time { return time.Time{} }

func (s *scramExchange) next(token []byte) ([]byte, bool, error) {
	if s.first == "" {
		reply, err := s.challenge(string(token))
		return reply, false, err
	}
	reply, err := s.check(string(token))
	return reply, err == nil, err
}

// challenge answers the client's first message with salt, iterations and the nonce of both.
func (s *scramExchange) challenge(message string) ([]byte, error) {
	const header = 3 // channel binding, the user to act for, and the rest
	parts := strings.SplitN(message, ",", header)
	if len(parts) != header || parts[0] != "n" {
		return nil, refused(s.mechanism)
	}
	found := attributes(parts[2])
	s.name = strings.NewReplacer("=2C", ",", "=3D", "=").Replace(found["n"])
	known, ok := s.credentials[s.name]
	as := strings.TrimPrefix(parts[1], "a=")
	if !ok || found["r"] == "" || as != "" && as != s.name {
		return nil, refused(s.mechanism)
	}
	own := make([]byte, nonceBytes)
	_, _ = rand.Read(own) // it never fails
	s.nonce = found["r"] + base64.RawURLEncoding.EncodeToString(own)
	reply := fmt.Sprintf("r=%s,s=%s,i=%d", s.nonce, base64.StdEncoding.EncodeToString(known.salt), iterations)
	s.first = parts[2] + "," + reply
	return []byte(reply), nil
}

// check answers the client's proof with the server's.
func (s *scramExchange) check(message string) ([]byte, error) {
	without, proof, ok := strings.Cut(message, ",p=")
	sent, err := base64.StdEncoding.DecodeString(proof)
	known := s.credentials[s.name]
	// The end is enough: librdkafka up to 2.6.0 sends its own nonce twice (its pull request 4895).
	if s.checksNonce && !strings.HasSuffix(attributes(without)["r"], s.nonce) {
		return nil, refused(s.mechanism)
	}
	if !ok || err != nil || len(sent) != len(known.stored) {
		return nil, refused(s.mechanism)
	}
	covered := s.first + "," + without
	key := mac(s.hash, known.stored, covered)
	for i := range key {
		key[i] ^= sent[i]
	}
	if !hmac.Equal(digest(s.hash, key), known.stored) {
		return nil, refused(s.mechanism)
	}
	return []byte("v=" + base64.StdEncoding.EncodeToString(mac(s.hash, known.server, covered))), nil
}

// attributes reads `n=user,r=nonce`.
func attributes(text string) map[string]string {
	found := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		if name, value, ok := strings.Cut(part, "="); ok {
			found[name] = value
		}
	}
	return found
}
