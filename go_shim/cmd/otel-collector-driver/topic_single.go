//go:build !topic_list

package main

// topicKey is the receiver's key with the topic that it reads.
const topicKey = "topic"

func topics(name string) any { return name }
