package front

import (
	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/release"
)

// offer is what a broker serves, and the release that decides what it advertises of that.
type offer struct {
	release *release.Release
	served  map[int16]release.VersionRange
}

// offers returns the APIs and versions of a broker: those of its release, or of the release that it was rolled back to,
// with a limit of ApiVersions.
func (f *Front) offers(broker int32) offer {
	f.mu.Lock()
	defer f.mu.Unlock()
	if rolledBack, ok := f.rolledBack[broker]; ok {
		return rolledBack.limited(f.limit)
	}
	return offer{f.release, f.served}.limited(f.limit)
}

// rollBack caps the APIs of a broker to those of an older release. The contents of its responses stay those of its own
// release.
func (f *Front) rollBack(r *clusterpb.RollBack) error {
	older, err := release.Parse(r.Line)
	if err != nil {
		return err
	}
	f.rolledBack[r.Broker] = offer{older, older.Cap(f.served)}
	return nil
}
