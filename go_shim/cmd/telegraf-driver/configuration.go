package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

const (
	output = "outputs.kafka"
	input  = "inputs.kafka_consumer"
	feed   = "inputs.socket_listener"
	sink   = "outputs.file"
)

// Keys are a section of Telegraf's configuration and a key in it; values are TOML. Telegraf has no key for the metadata
// refresh of the library inside it: its ten minutes are longer than any trial.
var profiles = driver.Profiles{
	"isolated":        {},
	"defaults":        {Bare: true},
	"idempotent":      driver.Writing(output+".idempotent_writes", "true"),
	"acks-1":          driver.Writing(output+".required_acks", "1"),
	"zstd":            driver.Writing(output+".compression_codec", "4"),
	"oldest-protocol": {Set: map[string]string{output + ".version": `"0.11.0.0"`, input + ".version": `"0.11.0.0"`}},
}

// Keys by which the probe identifies partitions, instances and records.
var reserved = []string{
	output + ".brokers", output + ".topic", output + ".client_id", output + ".routing_tag", output + ".data_format",
	input + ".brokers", input + ".topics", input + ".client_id", input + ".consumer_group", input + ".data_format",
}

// flushInterval replaces Telegraf's ten seconds: a record must reach Kafka within the interval of its operation.
const flushInterval = "100ms"

// configuration is a file for Telegraf: sections with their keys, values as TOML.
type configuration struct {
	sections   map[string]map[string]string
	kafka      map[string]string // the Kafka section
	properties []string          // keys of the instance's properties
}

// configure builds the configuration of an instance: role, profile, properties, in this order.
func configure(start *driverpb.Start, _ *driver.Instance) (*configuration, error) {
	chosen, err := profiles.Choose("telegraf", start)
	if err != nil {
		return nil, err
	}
	c := &configuration{sections: map[string]map[string]string{
		"agent": {"flush_interval": quote(flushInterval), "omit_hostname": "true"},
	}}
	brokers := make([]string, len(start.Bootstrap))
	for index, address := range start.Bootstrap {
		brokers[index] = quote(address)
	}
	c.kafka = map[string]string{
		"brokers": "[" + strings.Join(brokers, ", ") + "]", "client_id": quote(start.ClientId),
	}
	if start.Role == "producer" {
		c.writing(start)
	} else {
		c.reading(start)
	}
	if !chosen.Bare && start.Broker != "" {
		c.kafka["version"] = quote(driver.ExactVersion(start.Broker)) // the library inside cannot negotiate
	}
	for key, value := range chosen.Set {
		c.set(key, value)
	}
	c.properties, err = driver.SetProperties(start, reserved, c.setProperty)
	return c, err
}

func (c *configuration) writing(start *driverpb.Start) {
	c.kafka["topic"] = quote(start.Topic)
	c.kafka["routing_tag"] = quote(routingTag)
	c.kafka["data_format"] = quote("influx")
	c.sections[output] = c.kafka
	c.sections[feed] = map[string]string{"data_format": quote("influx")}
}

func (c *configuration) reading(start *driverpb.Start) {
	c.kafka["topics"] = "[" + quote(start.Topic) + "]"
	c.kafka["consumer_group"] = quote(start.Group)
	c.kafka["data_format"] = quote("value")
	c.kafka["data_type"] = quote("string")
	c.sections[input] = c.kafka
	c.sections[sink] = map[string]string{"files": `["stdout"]`, "data_format": quote("influx")}
}

// set sets a key; false where its section does not exist. A profile has keys for both roles.
func (c *configuration) set(key, value string) bool {
	at := strings.LastIndex(key, ".")
	section, known := c.sections[key[:max(at, 0)]]
	if known {
		section[key[at+1:]] = value
	}
	return known
}

func (c *configuration) setProperty(key, value string) error {
	if !c.set(key, literal(value)) {
		return driver.Refuse("there is no section for %s in this role; it has %s",
			key, strings.Join(slices.Sorted(maps.Keys(c.sections)), ", "))
	}
	return nil
}

// get returns a key of the Kafka section, or `standard` where it is not set.
func (c *configuration) get(key, standard string) string {
	if value, found := c.kafka[key]; found {
		return strings.Trim(value, `"`)
	}
	return standard
}

// text returns the file. A plugin's section is an element of an array, the agent's is not.
func (c *configuration) text() string {
	var written strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.sections)) {
		heading := "[[" + name + "]]"
		if !strings.Contains(name, ".") {
			heading = "[" + name + "]"
		}
		fmt.Fprintln(&written, heading)
		for _, key := range slices.Sorted(maps.Keys(c.sections[name])) {
			fmt.Fprintf(&written, "  %s = %s\n", key, c.sections[name][key])
		}
	}
	return written.String()
}

// literal returns a property as TOML: numbers, booleans, lists and quoted text are unchanged.
func literal(text string) string {
	if driver.IsScalar(text) || strings.HasPrefix(text, "[") || strings.HasPrefix(text, `"`) {
		return text
	}
	return quote(text)
}

func quote(text string) string { return strconv.Quote(text) }
