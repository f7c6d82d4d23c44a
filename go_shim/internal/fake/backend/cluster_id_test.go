package backend

import "testing"

func TestAClusterHasOneId(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, cluster := range []struct{ line, last string }{{"3.9", "c:3"}, {"4.4", "c:3"}, {"3.9", "c:4"}, {"3.9", "c:3"}} {
		id := clusterID(cluster.line, []string{"a:1", "b:2", cluster.last})
		if of, known := seen[id]; known && of != cluster.line+cluster.last {
			t.Errorf("%v and %s have the same id", cluster, of)
		}
		seen[id] = cluster.line + cluster.last
	}
	if len(seen) != 3 {
		t.Errorf("%d ids of three clusters: %v", len(seen), seen)
	}
}
