package sasl

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

const (
	oauthBearer = "OAUTHBEARER"

	controlA     = "\x01" // with it alone a client takes a refusal (RFC 7628, 3.2.3)
	invalidToken = `{"status":"invalid_token"}`
)

// initialResponse is the client's first message, as Kafka's OAuthBearerClientInitialResponse (4.4) reads it.
var initialResponse = regexp.MustCompile("^n,(?:a=((?:[^=,]|=2C|=3D)+),|,)\x01((?:[A-Za-z]+=[\x21-\x7e \t\r\n]+\x01)*)\x01$")

var (
	scheme = regexp.MustCompile(`^(?i:bearer) +([-_.a-zA-Z0-9]+)$`)

	errToken = errors.New("the token is not valid")
)

// bearerExchange is a log-in by RFC 7628: one message with a token that is signed by RS256 (RFC 7515, 7519).
type bearerExchange struct {
	key     *rsa.PublicKey // nil: every token is refused
	began   time.Time
	name    string
	ends    time.Time
	refuses func() bool // whether the broker refuses any token now
	refused bool        // the next message takes the refusal
}

func (b *bearerExchange) user() string { return b.name }

func (b *bearerExchange) expires() time.Time { return b.ends }

func (b *bearerExchange) next(message []byte) ([]byte, bool, error) {
	if b.refused && string(message) == controlA {
		return nil, false, refusal(invalidToken)
	}
	parts := initialResponse.FindSubmatch(message)
	if parts == nil {
		return nil, false, refused(oauthBearer)
	}
	var token string
	for pair := range strings.SplitSeq(string(parts[2]), controlA) {
		if value, found := strings.CutPrefix(pair, "auth="); found {
			if read := scheme.FindStringSubmatch(value); read != nil {
				token = read[1]
			}
		}
	}
	if token == "" {
		return nil, false, refused(oauthBearer)
	}
	claims, err := b.check(token)
	if b.refused = err != nil || b.refuses(); b.refused {
		return []byte(invalidToken), false, nil
	}
	if as := string(parts[1]); as != "" && as != claims.Subject {
		return nil, false, refusal(fmt.Sprintf("Authentication failed: Client requested an authorization id (%s) that is "+
			"different from the token's principal name (%s)", as, claims.Subject))
	}
	b.name, b.ends = claims.Subject, time.Unix(claims.Expires, 0)
	return []byte{}, true, nil
}

// claims are those that a broker needs of a token.
type claims struct {
	Subject string `json:"sub"`
	Issued  int64  `json:"iat"`
	Expires int64  `json:"exp"` // in s
}

// check returns the claims of a token that has the right signature and is not over.
func (b *bearerExchange) check(token string) (claims, error) {
	var (
		header struct {
			Algorithm string `json:"alg"`
		}
		found claims
	)
	sections := strings.Split(token, ".")
	const all = 3
	if b.key == nil || len(sections) != all {
		return found, errToken
	}
	signature, err := base64.RawURLEncoding.DecodeString(sections[2])
	if err = errors.Join(err, section(sections[0], &header), section(sections[1], &found)); err != nil {
		return found, err
	}
	sum := sha256.Sum256([]byte(sections[0] + "." + sections[1]))
	if header.Algorithm != "RS256" || rsa.VerifyPKCS1v15(b.key, crypto.SHA256, sum[:], signature) != nil {
		return found, errToken
	}
	if found.Subject == "" || found.Issued == 0 || !b.began.Before(time.Unix(found.Expires, 0)) {
		return found, errToken
	}
	return found, nil
}

func section(text string, into any) error {
	data, err := base64.RawURLEncoding.DecodeString(text)
	return errors.Join(err, json.Unmarshal(data, into))
}

// publicKey reads the key of tokens' signatures; nil without a text.
func publicKey(text string) (*rsa.PublicKey, error) {
	if text == "" {
		return nil, nil
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("the key of tokens is not in PEM")
	}
	found, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the key of tokens: %w", err)
	}
	key, ok := found.(*rsa.PublicKey)
	if !ok {
		return nil, fmt.Errorf("the key of tokens is a %T, not one of RSA", found)
	}
	return key, nil
}
