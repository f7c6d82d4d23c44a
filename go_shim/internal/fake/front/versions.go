package front

import (
	"maps"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/release"
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// refuseVersions answers an ApiVersions request of an unknown version, whatever its body. Brokers answer in v0 with
// error 35 and the versions that they know (KIP-511); a fault may close the connection or malform the body.
func (f *Front) refuseVersions(served release.VersionRange) (kmsg.Response, error) {
	resp := kmsg.NewPtrApiVersionsResponse()
	resp.ErrorCode = unsupportedVersion
	key := kmsg.NewApiVersionsResponseApiKey()
	key.ApiKey, key.MinVersion, key.MaxVersion = int16(kmsg.ApiVersions), served.Min, served.Max
	resp.ApiKeys = append(resp.ApiKeys, key)
	switch limit := f.versionLimit(); {
	case limit == nil:
		return resp, nil
	case limit.Malformed:
		return malformedVersions{resp}, nil
	default:
		return nil, errClosed
	}
}

// versionLimit returns the fault of ApiVersions, nil if there is none.
func (f *Front) versionLimit() *clusterpb.LimitVersions {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.limit
}

// limited returns an offer with the limit of ApiVersions.
func (o offer) limited(limit *clusterpb.LimitVersions) offer {
	known, ok := o.served[int16(kmsg.ApiVersions)]
	if limit == nil || !ok {
		return o
	}
	known.Max = min(known.Max, int16(limit.Highest))
	capped := maps.Clone(o.served)
	capped[int16(kmsg.ApiVersions)] = known
	return offer{o.release, capped}
}

// malformedVersions is written as librdkafka's mock cluster does (2.16): the number of keys as one byte, which flexible
// versions read as one less, the keys without tags, and a throttle time, which v0 lacks.
type malformedVersions struct{ *kmsg.ApiVersionsResponse }

// AppendTo implements kmsg.Response.
func (m malformedVersions) AppendTo(dst []byte) []byte {
	dst = kbin.AppendInt16(dst, m.ErrorCode)
	dst = append(dst, byte(len(m.ApiKeys)))
	for _, key := range m.ApiKeys {
		dst = kbin.AppendInt16(dst, key.ApiKey)
		dst = kbin.AppendInt16(dst, key.MinVersion)
		dst = kbin.AppendInt16(dst, key.MaxVersion)
	}
	return kbin.AppendInt32(dst, m.ThrottleMillis)
}
