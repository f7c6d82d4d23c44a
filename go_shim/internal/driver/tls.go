package driver

import (
	"crypto/tls"
	"crypto/x509"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// TLSConfig returns what a client needs for a listener's TLS: the authority that it trusts, and its own certificate where
// brokers ask for one; nil without TLS.
func TLSConfig(asked *driverpb.Security) (*tls.Config, error) {
	if asked.GetAuthority() == "" {
		return nil, nil
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM([]byte(asked.Authority))
	made := &tls.Config{RootCAs: trusted}
	if asked.Certificate == "" {
		return made, nil
	}
	own, err := tls.X509KeyPair([]byte(asked.Certificate), []byte(asked.Key))
	if err != nil {
		return nil, Refuse("the client's certificate cannot be read: %v", err)
	}
	made.Certificates = []tls.Certificate{own}
	return made, nil
}
