//go:build token_provider

package main

import (
	"context"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// tokenFunction is the application's token function (sarama.AccessTokenProvider); each log-in asks for a new token.
type tokenFunction struct{ asked *driverpb.Security }

// Token implements sarama.AccessTokenProvider.
func (t tokenFunction) Token() (*sarama.AccessToken, error) {
	token, err := driver.FetchToken(context.Background(), t.asked)
	if err != nil {
		return nil, err
	}
	return &sarama.AccessToken{Token: token}, nil
}

func init() {
	secureByToken = func(config *sarama.Config, asked *driverpb.Security) {
		config.Net.SASL.Mechanism, config.Net.SASL.TokenProvider = sarama.SASLTypeOAuth, tokenFunction{asked}
	}
}
