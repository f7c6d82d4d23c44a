package main

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"strings"
)

var scramHashes = map[string]func() hash.Hash{"SCRAM-SHA-256": sha256.New, "SCRAM-SHA-512": sha512.New}

var errScram = errors.New("the broker's message of SCRAM is not valid")

// scramClient is a log-in by SCRAM (RFC 5802), which sarama leaves to the application (sarama.SCRAMClient).
type scramClient struct {
	hash           func() hash.Hash
	user, password string
	first          string // the client's first message, without its header
	expected       []byte // the broker's signature
	done           bool
}

// Begin prepares an exchange. Neither the probe's users nor their passwords need SASLprep or escapes.
func (s *scramClient) Begin(user, password, _ string) error {
	*s = scramClient{hash: s.hash, user: user, password: password}
	return nil
}

// Done reports whether the broker has proved that it knows the password.
func (s *scramClient) Done() bool { return s.done }

// Step takes the broker's message, empty at first, and returns the client's.
func (s *scramClient) Step(challenge string) (string, error) {
	switch {
	case s.first == "":
		s.first = fmt.Sprintf("n=%s,r=%s", s.user, rand.Text())
		return "n,," + s.first, nil
	case s.expected == nil:
		return s.proof(challenge)
	}
	signature, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(challenge, "v="))
	if err != nil || !hmac.Equal(signature, s.expected) {
		return "", errScram
	}
	s.done = true
	return "", nil
}

// proof answers salt, iterations and nonce.
func (s *scramClient) proof(challenge string) (string, error) {
	sent := map[string]string{}
	for part := range strings.SplitSeq(challenge, ",") {
		name, value, _ := strings.Cut(part, "=")
		sent[name] = value
	}
	_, own, _ := strings.Cut(s.first, ",r=")
	salt, err := base64.StdEncoding.DecodeString(sent["s"])
	iterations, wrong := strconv.Atoi(sent["i"])
	if err != nil || wrong != nil || iterations < 1 || !strings.HasPrefix(sent["r"], own) {
		return "", errScram
	}
	salted, err := pbkdf2.Key(s.hash, s.password, salt, iterations, s.hash().Size())
	if err != nil {
		return "", err
	}
	without := "c=biws,r=" + sent["r"]
	covered := s.first + "," + challenge + "," + without
	key := s.mac(salted, "Client Key")
	stored := s.hash()
	stored.Write(key)
	mask := s.mac(stored.Sum(nil), covered)
	for i := range key {
		key[i] ^= mask[i]
	}
	s.expected = s.mac(s.mac(salted, "Server Key"), covered)
	return without + ",p=" + base64.StdEncoding.EncodeToString(key), nil
}

func (s *scramClient) mac(key []byte, text string) []byte {
	made := hmac.New(s.hash, key)
	made.Write([]byte(text))
	return made.Sum(nil)
}
