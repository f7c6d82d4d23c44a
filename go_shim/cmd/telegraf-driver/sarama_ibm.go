//go:build telegraf && ibm

package main

import "github.com/IBM/sarama"

// library returns the default configuration of the Kafka client inside Telegraf.
func library() any { return sarama.NewConfig() }
