package driver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"testing"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

func selfSigned(t *testing.T) (certificate, key string) {
	t.Helper()
	made, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &made.PublicKey, made)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(made)
	if err != nil {
		t.Fatal(err)
	}
	text := func(kind string, data []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
	}
	return text("CERTIFICATE", signed), text("PRIVATE KEY", private)
}

func TestAClientPresentsACertificateOnlyWhereItHasOne(t *testing.T) {
	certificate, key := selfSigned(t)
	for name, one := range map[string]struct {
		asked *driverpb.Security
		tls   bool
		own   int
	}{
		"PLAINTEXT":   {nil, false, 0},
		"log-in only": {&driverpb.Security{Mechanism: "PLAIN"}, false, 0},
		"TLS":         {&driverpb.Security{Authority: certificate}, true, 0},
		"its own":     {&driverpb.Security{Authority: certificate, Certificate: certificate, Key: key}, true, 1},
	} {
		made, err := TLSConfig(one.asked)
		if err != nil || (made != nil) != one.tls {
			t.Fatalf("%s: %v, %v", name, made, err)
		}
		if made != nil && (made.RootCAs == nil || made.InsecureSkipVerify || len(made.Certificates) != one.own) {
			t.Errorf("%s: %d certificates", name, len(made.Certificates))
		}
	}
	if _, err := TLSConfig(&driverpb.Security{Authority: certificate, Certificate: certificate, Key: "none"}); err == nil {
		t.Error("a key that is none is taken")
	}
}
