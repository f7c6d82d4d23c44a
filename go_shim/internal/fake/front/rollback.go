package front

import (
	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/line"
)

// serves is what a broker serves now: its line's APIs and versions, or those that it was rolled back to.
func (f *Front) serves(broker int32) map[int16]line.Range {
	f.mu.Lock()
	defer f.mu.Unlock()
	if rolled, ok := f.rolled[broker]; ok {
		return rolled
	}
	return f.served
}

// rollBack lets a broker serve no more than an older line does. Its answers' contents stay those of its own line.
func (f *Front) rollBack(r *clusterpb.RollBack) error {
	older, err := line.Parse(r.Line)
	if err != nil {
		return err
	}
	f.rolled[r.Broker] = older.Below(f.served)
	return nil
}
