package main

import (
	"slices"
	"strings"
)

// connecting are librdkafka's names of errors of connections. It tells them to an application as those of the whole client,
// and what fails at a partition, or in a group, as errors of consuming.
var connecting = []string{
	"_ALL_BROKERS_DOWN", "_TRANSPORT", "_RESOLVE", "_AUTHENTICATION", "_SSL", "_TIMED_OUT", "_CRIT_SYS_RESOURCE", "_FS",
}

// consuming are the first words of errors of consuming that can have the name of one of a connection
// (rdkafka_assignment.c, rdkafka_cgrp.c, rdkafka_partition.c).
var consuming = []string{"Failed to ", "FindCoordinator response error", "JoinGroup failed"}

// isOfClient reports whether a consumer's error is one of the client, which other bindings give to a callback of their
// own. The wrapper makes the same event of both kinds, without topic and partition (event.go).
func isOfClient(name, text string) bool {
	isOfConsuming := slices.ContainsFunc(consuming, func(words string) bool { return strings.HasPrefix(text, words) })
	return slices.Contains(connecting, name) && !isOfConsuming
}
