package front

import (
	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/release"
)

// serves returns the APIs and versions of a broker: those of its release, or of the release that it was rolled back to.
func (f *Front) serves(broker int32) map[int16]release.VersionRange {
	f.mu.Lock()
	defer f.mu.Unlock()
	if rolledBack, ok := f.rolledBack[broker]; ok {
		return rolledBack
	}
	return f.served
}

// rollBack caps the APIs of a broker to those of an older release. The contents of its responses stay those of its own
// release.
func (f *Front) rollBack(r *clusterpb.RollBack) error {
	older, err := release.Parse(r.Line)
	if err != nil {
		return err
	}
	f.rolledBack[r.Broker] = older.Cap(f.served)
	return nil
}
