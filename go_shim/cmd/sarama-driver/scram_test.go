package main

import (
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/sasl"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// logIn leads a client and a broker through SCRAM and returns the broker's last error code and the client's error.
func logIn(t *testing.T, mechanism, password string) (int16, error) {
	t.Helper()
	asked, err := sasl.NewListener([]string{mechanism}, map[string]string{"probe": "right"}, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	asked.ChecksNonce = true
	client, broker := &scramClient{hash: scramHashes[mechanism]}, &sasl.Login{}
	broker.Take(asked, &kmsg.SASLHandshakeRequest{Version: 1, Mechanism: mechanism}, time.Now())
	if err := client.Begin("probe", password, ""); err != nil {
		t.Fatal(err)
	}
	challenge := ""
	for !client.Done() {
		token, err := client.Step(challenge)
		if err != nil || client.Done() {
			return 0, err
		}
		resp, _ := broker.Take(asked, &kmsg.SASLAuthenticateRequest{Version: 1, SASLAuthBytes: []byte(token)}, time.Now())
		answer := resp.(*kmsg.SASLAuthenticateResponse)
		if answer.ErrorCode != 0 {
			return answer.ErrorCode, nil
		}
		challenge = string(answer.SASLAuthBytes)
	}
	return 0, nil
}

func TestScramLogsInWithTheRightPasswordAlone(t *testing.T) {
	for mechanism := range scramHashes {
		if code, err := logIn(t, mechanism, "right"); code != 0 || err != nil {
			t.Errorf("%s: code %d, %v", mechanism, code, err)
		}
		if code, _ := logIn(t, mechanism, "wrong"); code != 58 {
			t.Errorf("%s with a wrong password: code %d, want 58", mechanism, code)
		}
	}
}

func TestScramRefusesABrokerThatDoesNotKnowThePassword(t *testing.T) {
	client := &scramClient{hash: scramHashes["SCRAM-SHA-256"]}
	if err := client.Begin("probe", "right", ""); err != nil {
		t.Fatal(err)
	}
	first, _ := client.Step("")
	if _, err := client.Step("r=another,s=AAAA,i=4096"); err == nil {
		t.Error("a nonce of somebody else is accepted")
	}
	nonce := first[len("n,,n=probe,r="):]
	if _, err := client.Step("r=" + nonce + "x,s=AAAA,i=4096"); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Step("v=AAAA"); err == nil || client.Done() {
		t.Error("a wrong signature is accepted")
	}
}
