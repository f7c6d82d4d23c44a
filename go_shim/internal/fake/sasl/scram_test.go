package sasl

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"testing"
)

// final sends a proof for the right password over a last message with a nonce that `changed` makes of the right one.
func final(t *testing.T, checks bool, changed func(client, both string) string) error {
	t.Helper()
	asked := listener(t, 0, scram256)
	asked.ChecksNonce = checks
	login := &Login{}
	ask(t, login, asked, scram256, began)
	resp, _ := authenticate(t, login, []byte("n,,n=probe,r=mine"), began)
	running := login.running.(*scramExchange)
	salted, err := pbkdf2.Key(sha256.New, "right", asked.scram[scram256]["probe"].salt, iterations, sha256.Size)
	if err != nil {
		t.Fatal(err)
	}
	without := "c=biws,r=" + changed("mine", attributes(string(resp.SASLAuthBytes))["r"])
	key := mac(sha256.New, salted, "Client Key")
	proof := mac(sha256.New, digest(sha256.New, key), running.first+","+without)
	for i := range proof {
		proof[i] ^= key[i]
	}
	_, err = running.check(without + ",p=" + base64.StdEncoding.EncodeToString(proof))
	return err
}

func TestTheNonceOfTheLastMessageIsCheckedByItsEndFromTheReleaseOn(t *testing.T) {
	right := func(_, both string) string { return both }
	twice := func(client, both string) string { return client + both } // librdkafka up to 2.6.0
	own := func(client, _ string) string { return client }             // franz-go 1.0.0
	for _, checks := range []bool{false, true} {
		if err := final(t, checks, right); err != nil {
			t.Errorf("the right nonce, checks %v: %v", checks, err)
		}
		if err := final(t, checks, twice); err != nil {
			t.Errorf("the client's nonce twice, checks %v: %v", checks, err)
		}
		if err := final(t, checks, own); (err != nil) != checks {
			t.Errorf("the client's nonce alone, checks %v: %v", checks, err)
		}
	}
}
