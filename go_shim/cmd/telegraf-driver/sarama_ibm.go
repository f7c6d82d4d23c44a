//go:build telegraf && ibm

package main

import "github.com/IBM/sarama"

// library tells the defaults of the Kafka client inside Telegraf.
func library() any { return sarama.NewConfig() }
