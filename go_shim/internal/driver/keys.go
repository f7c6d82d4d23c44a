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
	_, key := KeyFrom(partition, func(number int) string { return fmt.Sprintf("p%d-%d", partition, number) })
	return key
}

// KeyFrom is KeyOf for an application that builds keys by itself: the first of `candidates`, with its number.
func KeyFrom(partition int32, candidates func(number int) string) (int, string) {
	for number := 0; ; number++ {
		key := candidates(number)
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(key))
		if sum := int32(hash.Sum32()); sum >= 0 && sum%keySpace == partition {
			return number, key
		}
	}
}
