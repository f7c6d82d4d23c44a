//go:build topic_list

package main

// topicKey is the receiver's key with the topics that it reads.
const topicKey = "topics"

func topics(name string) any { return []string{name} }
