package main

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// dialTimeout is the library's default for connections (defaultCfg, pkg/kgo/config.go), which it has no option for where
// the dialer is not its own.
const dialTimeout = 10 * time.Second

// quickDial is the connection timeout of the profile quick-timeouts.
const quickDial = 5 * time.Second

// dialed returns the options for the connections of an instance: their timeout, and TLS where the listener asks for it.
func dialed(start *driverpb.Start) ([]kgo.Opt, error) {
	plain := net.Dialer{Timeout: dialTimeout}
	if start.Profile == "quick-timeouts" {
		plain.Timeout = quickDial
	}
	made, err := driver.TLSConfig(start.Security)
	switch {
	case err != nil:
		return nil, err
	case made != nil:
		secure := tls.Dialer{NetDialer: &plain, Config: made}
		return []kgo.Opt{kgo.Dialer(secure.DialContext)}, nil
	case plain.Timeout != dialTimeout:
		return []kgo.Opt{kgo.Dialer(plain.DialContext)}, nil
	}
	return nil, nil // the library's own
}

// secured returns the options for log-ins; none where the listener asks for none.
func secured(asked *driverpb.Security) ([]kgo.Opt, error) {
	var made []kgo.Opt
	if asked.GetMechanism() == "" {
		return made, nil
	}
	pair := scram.Auth{User: asked.User, Pass: asked.Password}
	known := map[string]sasl.Mechanism{
		"PLAIN":         plain.Auth{User: asked.User, Pass: asked.Password}.AsMechanism(),
		"SCRAM-SHA-256": pair.AsSha256Mechanism(),
		"SCRAM-SHA-512": pair.AsSha512Mechanism(),
		"OAUTHBEARER": oauth.Oauth(func(ctx context.Context) (oauth.Auth, error) {
			token, err := driver.FetchToken(ctx, asked)
			return oauth.Auth{Token: token}, err
		}),
	}
	mechanism, ok := known[asked.Mechanism]
	if !ok {
		return nil, driver.Refuse("the driver has no mechanism %s", asked.Mechanism)
	}
	return append(made, kgo.SASL(mechanism)), nil
}
