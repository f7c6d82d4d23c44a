package sasl

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
	franz "github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

var began = time.Unix(1_000_000, 0)

func listener(t *testing.T, session time.Duration, mechanisms ...string) *Listener {
	t.Helper()
	made, err := NewListener(mechanisms, map[string]string{"probe": "right"}, session, "")
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func handshake(mechanism string, version int16) *kmsg.SASLHandshakeRequest {
	req := kmsg.NewPtrSASLHandshakeRequest()
	req.Version, req.Mechanism = version, mechanism
	return req
}

func ask(t *testing.T, l *Login, asked *Listener, mechanism string, at time.Time) (int16, []string, Action) {
	t.Helper()
	resp, action := l.Take(asked, handshake(mechanism, 1), at)
	got := resp.(*kmsg.SASLHandshakeResponse)
	return got.ErrorCode, got.SupportedMechanisms, action
}

func authenticate(t *testing.T, l *Login, token []byte, at time.Time) (*kmsg.SASLAuthenticateResponse, Action) {
	t.Helper()
	req := kmsg.NewPtrSASLAuthenticateRequest()
	req.Version, req.SASLAuthBytes = 2, token
	resp, action := l.Take(nil, req, at)
	if resp == nil {
		return nil, action
	}
	return resp.(*kmsg.SASLAuthenticateResponse), action
}

// logIn logs in by another implementation of the mechanism, franz-go's.
func logIn(t *testing.T, l *Login, asked *Listener, mechanism franz.Mechanism, at time.Time) (*kmsg.SASLAuthenticateResponse, Action) {
	t.Helper()
	if code, _, action := ask(t, l, asked, mechanism.Name(), at); code != 0 || action != Reply {
		t.Fatalf("the handshake is answered %d, action %d", code, action)
	}
	session, token, err := mechanism.Authenticate(context.Background(), "127.0.0.1")
	for done := false; ; {
		if err != nil {
			t.Fatal(err)
		}
		resp, action := authenticate(t, l, token, at)
		if action != Reply || done || l.running == nil && len(resp.SASLAuthBytes) == 0 {
			return resp, action
		}
		if done, token, err = session.Challenge(resp.SASLAuthBytes); done {
			return resp, action
		}
	}
}

func mechanisms(user, password string) []franz.Mechanism {
	pair := scram.Auth{User: user, Pass: password}
	return []franz.Mechanism{plain.Auth{User: user, Pass: password}.AsMechanism(), pair.AsSha256Mechanism(), pair.AsSha512Mechanism()}
}

func TestEveryMechanismLetsTheRightPasswordIn(t *testing.T) {
	for _, mechanism := range mechanisms("probe", "right") {
		login := &Login{}
		resp, action := logIn(t, login, listener(t, 5*time.Second, mechanism.Name()), mechanism, began)
		if action != Reply || resp.ErrorCode != 0 || login.name != "probe" {
			t.Errorf("%s: %d, action %d", mechanism.Name(), resp.ErrorCode, action)
		}
		if resp.SessionLifetimeMillis != 5000 {
			t.Errorf("%s: a session of %d ms", mechanism.Name(), resp.SessionLifetimeMillis)
		}
		if _, action = login.Take(nil, kmsg.NewPtrMetadataRequest(), began); action != Pass {
			t.Errorf("%s: a request after the log-in: action %d", mechanism.Name(), action)
		}
	}
}

func TestAWrongPasswordOrUserIsRefusedWithKafkasWords(t *testing.T) {
	for _, wrong := range [][2]string{{"probe", "wrong"}, {"nobody", "right"}} {
		for _, mechanism := range mechanisms(wrong[0], wrong[1]) {
			resp, action := logIn(t, &Login{}, listener(t, 0, mechanism.Name()), mechanism, began)
			want := "Authentication failed during authentication due to invalid credentials with SASL mechanism " + mechanism.Name()
			if mechanism.Name() == plainName {
				want = "Authentication failed: Invalid username or password"
			}
			if action != Fail || resp.ErrorCode != failed || *resp.ErrorMessage != want {
				t.Errorf("%s: %d %s, action %d", mechanism.Name(), resp.ErrorCode, *resp.ErrorMessage, action)
			}
		}
	}
}

func TestAMechanismThatIsNotEnabledIsRefusedWithTheList(t *testing.T) {
	code, list, action := ask(t, &Login{}, listener(t, 0, plainName), scram256, began)
	if code != unsupportedMechanism || action != Fail || strings.Join(list, " ") != plainName {
		t.Errorf("%d %v, action %d", code, list, action)
	}
}

func TestNothingButVersionsOnceComesBeforeALogIn(t *testing.T) {
	login, asked := &Login{}, listener(t, 0, plainName)
	for i, want := range []Action{Pass, Close} {
		if _, action := login.Take(asked, kmsg.NewPtrApiVersionsRequest(), began); action != want {
			t.Errorf("ApiVersions %d: action %d", i, action)
		}
	}
	if _, action := (&Login{}).Take(asked, kmsg.NewPtrMetadataRequest(), began); action != Close {
		t.Errorf("Metadata: action %d", action)
	}
	if _, action := authenticate(t, &Login{}, nil, began); action != Close {
		t.Errorf("SaslAuthenticate: action %d", action)
	}
	ask(t, login, asked, plainName, began)
	if _, action := login.Take(asked, kmsg.NewPtrMetadataRequest(), began); action != Shape {
		t.Errorf("Metadata within a log-in: action %d", action)
	}
}

func TestASessionThatIsOverEndsWithTheNextRequestButNotWithALogIn(t *testing.T) {
	asked := listener(t, 5*time.Second, plainName)
	mechanism := mechanisms("probe", "right")[0]
	login := &Login{}
	logIn(t, login, asked, mechanism, began)
	late := began.Add(6 * time.Second)
	if _, action := login.Take(asked, kmsg.NewPtrMetadataRequest(), late); action != Close {
		t.Errorf("a request after the session: action %d", action)
	}
	if resp, action := logIn(t, login, asked, mechanism, late); action != Reply || resp.ErrorCode != 0 {
		t.Errorf("a log-in after the session: %d, action %d", resp.ErrorCode, action)
	}
	if _, action := login.Take(asked, kmsg.NewPtrMetadataRequest(), late.Add(time.Second)); action != Pass {
		t.Errorf("a request in the new session: action %d", action)
	}
}

func TestASecondLogInWithinASecondOrWithoutSessionsIsRefused(t *testing.T) {
	mechanism := mechanisms("probe", "right")[0]
	asked := listener(t, 5*time.Second, plainName)
	login := &Login{}
	logIn(t, login, asked, mechanism, began)
	logIn(t, login, asked, mechanism, began.Add(2*time.Second))
	if code, _, action := ask(t, login, asked, plainName, began.Add(2500*time.Millisecond)); code != illegalState || action != Reply {
		t.Errorf("within a second: %d, action %d", code, action)
	}
	asked, login = listener(t, 0, plainName), &Login{}
	logIn(t, login, asked, mechanism, began)
	if code, _, action := ask(t, login, asked, plainName, began.Add(time.Minute)); code != illegalState || action != Reply {
		t.Errorf("without sessions: %d, action %d", code, action)
	}
	if resp, action := authenticate(t, login, nil, began.Add(time.Minute)); resp.ErrorCode != illegalState || action != Reply {
		t.Errorf("SaslAuthenticate: %d, action %d", resp.ErrorCode, action)
	}
}

func TestAnotherUserIsRefusedOnTheSameConnection(t *testing.T) {
	made, err := NewListener([]string{plainName}, map[string]string{"probe": "right", "other": "right"}, 5*time.Second, "")
	if err != nil {
		t.Fatal(err)
	}
	login := &Login{}
	logIn(t, login, made, mechanisms("probe", "right")[0], began)
	resp, action := logIn(t, login, made, mechanisms("other", "right")[0], began.Add(2*time.Second))
	if action != Fail || *resp.ErrorMessage != "Cannot change principals during re-authentication from User:probe: User:other" {
		t.Errorf("action %d", action)
	}
}

func TestTokensAreBareAfterTheOldestHandshake(t *testing.T) {
	login := &Login{}
	login.Take(listener(t, 0, plainName), handshake(plainName, 0), began)
	if !login.Bare() {
		t.Fatal("a token with a header is expected")
	}
	reply, err := login.Token([]byte("\x00probe\x00right"), began)
	if err != nil || len(reply) != 0 || login.Bare() || login.name != "probe" {
		t.Errorf("%q %v", reply, err)
	}
}

func TestMalformedTokensAreRefused(t *testing.T) {
	for _, name := range Mechanisms {
		for _, token := range []string{"", "\x00", "n", "n,,", "n,,n=probe", "y,,n=probe,r=1", strings.Repeat("\x00", 9999), "n,,n=probe,r="} {
			login := &Login{}
			ask(t, login, listener(t, 0, name), name, began)
			if resp, action := authenticate(t, login, []byte(token), began); action != Fail || resp.ErrorCode != failed {
				t.Errorf("%s %.20q: action %d", name, token, action)
			}
		}
	}
	login := &Login{}
	ask(t, login, listener(t, 0, scram256), scram256, began)
	authenticate(t, login, []byte("n,,n=probe,r=1"), began)
	for _, token := range []string{"", "c=biws", "c=biws,r=1,p=AA==", "c=biws,r=1,p=*"} {
		if _, err := login.running.(*scramExchange).check(token); err == nil {
			t.Errorf("%q is taken for a proof", token)
		}
	}
}

func TestAnUnknownMechanismIsRefused(t *testing.T) {
	if _, err := NewListener([]string{"GSSAPI"}, nil, 0, ""); err == nil {
		t.Error("GSSAPI is taken")
	}
}
