package driver

import (
	"fmt"
	"hash/fnv"
)

// keySpace is divisible by 2, 3, 4, 5 and 6: a key keeps its partition when a topic grows to that number.
const keySpace = 60

// KeyOf returns a key that partitioners of sarama's kind map to a partition: the FNV-1a hash of the key, modulo the
// number of partitions.
func KeyOf(partition int32) string {
	for number := 0; ; number++ {
		key := fmt.Sprintf("p%d-%d", partition, number)
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(key))
		if sum := int32(hash.Sum32()); sum >= 0 && sum%keySpace == partition {
			return key
		}
	}
}
