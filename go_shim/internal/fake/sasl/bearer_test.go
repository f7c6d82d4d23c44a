package sasl

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/sasl/oauth"
)

const keyBits = 2048

// issuer signs tokens.
type issuer struct {
	key *rsa.PrivateKey
	pem string
}

func newIssuer(t *testing.T) issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return issuer{key, string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))}
}

// sign returns a token with this header and these claims, both JSON.
func (i issuer) sign(t *testing.T, header, claims string) string {
	t.Helper()
	text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func (i issuer) token(t *testing.T, name string, ends time.Time) string {
	t.Helper()
	return i.sign(t, `{"alg":"RS256"}`, fmt.Sprintf(`{"sub":%q,"iat":%d,"exp":%d}`, name, began.Unix(), ends.Unix()))
}

func (i issuer) listener(t *testing.T, session time.Duration) *Listener {
	t.Helper()
	made, err := NewListener([]string{oauthBearer}, nil, session, i.pem)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func first(token string) []byte { return []byte("n,,\x01auth=Bearer " + token + "\x01\x01") }

func TestATokenLetsItsSubjectInUntilItEnds(t *testing.T) {
	signs := newIssuer(t)
	for _, one := range []struct{ session, lifetime, want time.Duration }{
		{0, 10 * time.Second, 10 * time.Second}, // brokers announce it where no session is configured, too
		{5 * time.Second, 10 * time.Second, 5 * time.Second},
		{time.Minute, 10 * time.Second, 10 * time.Second},
	} {
		login := &Login{}
		asked := signs.listener(t, one.session)
		token := signs.token(t, "probe", began.Add(one.lifetime))
		resp, action := logIn(t, login, asked, oauth.Auth{Token: token}.AsMechanism(), began)
		if action != Reply || resp.ErrorCode != 0 || login.name != "probe" || resp.SessionLifetimeMillis != one.want.Milliseconds() {
			t.Errorf("%v: %d, action %d, %q for %d ms", one, resp.ErrorCode, action, login.name, resp.SessionLifetimeMillis)
		}
		if !login.expires.Equal(began.Add(one.want)) {
			t.Errorf("%v: the session ends at %v", one, login.expires)
		}
	}
}

func TestATokenThatIsNotValidIsRefusedInTwoSteps(t *testing.T) {
	signs, other := newIssuer(t), newIssuer(t)
	right := signs.token(t, "probe", began.Add(time.Minute))
	sections := strings.Split(right, ".")
	for name, token := range map[string]string{
		"over":           signs.token(t, "probe", began),
		"other issuer":   other.token(t, "probe", began.Add(time.Minute)),
		"no subject":     signs.token(t, "", began.Add(time.Minute)),
		"not signed":     sections[0] + "." + sections[1] + ".",
		"other text":     sections[0] + "." + sections[0] + "." + sections[2],
		"no algorithm":   signs.sign(t, `{"alg":"none"}`, `{"sub":"probe","iat":1,"exp":9999999999}`),
		"no issue":       signs.sign(t, `{"alg":"RS256"}`, `{"sub":"probe","exp":9999999999}`),
		"no JSON":        signs.sign(t, "x", "y"),
		"a fourth part":  right + ".x",
		"one part":       "abc",
		"thousand parts": strings.Repeat("a.", 1000),
	} {
		login := &Login{}
		ask(t, login, signs.listener(t, 0), oauthBearer, began)
		resp, action := authenticate(t, login, first(token), began)
		if action != Reply || resp.ErrorCode != 0 || string(resp.SASLAuthBytes) != invalidToken {
			t.Fatalf("%s: %d %q, action %d", name, resp.ErrorCode, resp.SASLAuthBytes, action)
		}
		if resp, action = authenticate(t, login, []byte(controlA), began); action != Fail || resp.ErrorCode != failed || *resp.ErrorMessage != invalidToken {
			t.Errorf("%s: %d, action %d", name, resp.ErrorCode, action)
		}
	}
}

func TestWithoutAKeyEveryTokenIsRefused(t *testing.T) {
	signs := newIssuer(t)
	login := &Login{}
	ask(t, login, listener(t, 0, oauthBearer), oauthBearer, began)
	resp, _ := authenticate(t, login, first(signs.token(t, "probe", began.Add(time.Minute))), began)
	if string(resp.SASLAuthBytes) != invalidToken {
		t.Errorf("%q", resp.SASLAuthBytes)
	}
}

func TestEveryBrokerRefusesItsFirstTokenAndTakesTheSameOneThen(t *testing.T) {
	signs := newIssuer(t)
	asked := signs.listener(t, 0)
	asked.RefusesFirstToken = true
	token := signs.token(t, "probe", began.Add(time.Minute))
	for _, broker := range []int32{1, 2} {
		login := &Login{Broker: broker}
		ask(t, login, asked, oauthBearer, began) // a handshake alone is no token
		for _, want := range []string{invalidToken, ""} {
			login = &Login{Broker: broker}
			ask(t, login, asked, oauthBearer, began)
			if resp, action := authenticate(t, login, first(token), began); action != Reply || string(resp.SASLAuthBytes) != want {
				t.Errorf("broker %d: %q, action %d, not %q", broker, resp.SASLAuthBytes, action, want)
			}
		}
	}
}

func TestAFirstMessageThatIsNoneIsRefusedAtOnce(t *testing.T) {
	signs := newIssuer(t)
	token := signs.token(t, "probe", began.Add(time.Minute))
	for _, message := range []string{
		controlA, "n,,auth=Bearer " + token, "n,,\x01auth=Basic " + token + "\x01\x01", "n,,\x01host=a\x01\x01",
		"n,,\x01auth=Bearer \x01\x01", "y,,\x01auth=Bearer " + token + "\x01\x01", "n,a=x\x01auth=Bearer " + token + "\x01\x01",
	} {
		login := &Login{}
		ask(t, login, signs.listener(t, 0), oauthBearer, began)
		resp, action := authenticate(t, login, []byte(message), began)
		if want := refused(oauthBearer).Error(); action != Fail || resp.ErrorCode != failed || *resp.ErrorMessage != want {
			t.Errorf("%.30q: action %d", message, action)
		}
	}
}

func TestAnotherNameThanTheTokensIsRefused(t *testing.T) {
	signs := newIssuer(t)
	login := &Login{}
	ask(t, login, signs.listener(t, 0), oauthBearer, began)
	token := signs.token(t, "probe", began.Add(time.Minute))
	resp, action := authenticate(t, login, []byte("n,a=other,\x01auth=Bearer "+token+"\x01trace=1\x01\x01"), began)
	want := "Authentication failed: Client requested an authorization id (other) that is different from the token's principal name (probe)"
	if action != Fail || *resp.ErrorMessage != want {
		t.Errorf("action %d", action)
	}
}

func TestAKeyThatIsNoneIsRefused(t *testing.T) {
	for _, text := range []string{"x", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"} {
		if _, err := NewListener([]string{oauthBearer}, nil, 0, text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
