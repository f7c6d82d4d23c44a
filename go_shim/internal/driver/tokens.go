package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

const (
	tokenTimeout = 10 * time.Second
	grant        = "grant_type=client_credentials"
)

// tokenClient reaches loopback without a proxy, and leaves no connection open.
var tokenClient = http.Client{Timeout: tokenTimeout, Transport: &http.Transport{DisableKeepAlives: true}}

// FetchToken returns a new token for the client's credentials (RFC 6749, 4.4), as an application's token function does.
func FetchToken(ctx context.Context, asked *driverpb.Security) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, asked.TokenEndpoint, strings.NewReader(grant))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(asked.User, asked.Password)
	response, err := tokenClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the token server answers %s", response.Status)
	}
	var found struct {
		Token string `json:"access_token"`
	}
	err = json.NewDecoder(response.Body).Decode(&found)
	return found.Token, err
}
