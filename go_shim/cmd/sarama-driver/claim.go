package main

import (
	"reflect"
	"sync"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// claim knows which offset of one partition was marked, and whether it was committed.
//
// sarama tells no application that a commit was done: Commit returns nothing, and the answers 14, 15 and 16 are dropped
// without an error (handleResponse in offset_manager.go). What it knows itself is partitionOffsetManager.dirty, which
// only a commit answered without error clears, and only if nothing was marked since. So that flag is read.
type claim struct {
	session   sarama.ConsumerGroupSession
	topic     string
	partition int32
	out       *driver.Instance
	dirty     reflect.Value // not valid if this version keeps no such flag: then no commit is reported

	mu       sync.Mutex // between marking and looking
	marked   int64      // next offset to read; -1 before the first
	reported int64
	held     bool                    // a commit is under way
	waiting  *sarama.ConsumerMessage // the last one to mark once it is over
}

func newClaim(session sarama.ConsumerGroupSession, part sarama.ConsumerGroupClaim, out *driver.Instance) *claim {
	c := &claim{
		session: session, topic: part.Topic(), partition: part.Partition(), out: out, marked: -1, reported: -1,
		dirty: dirtyFlag(session, part.Topic(), part.Partition()),
	}
	if !c.dirty.IsValid() {
		out.Notice("sarama %s: what was committed cannot be read", version())
	}
	return c
}

// dirtyFlag finds session.offsets.poms[topic][partition].dirty, which never moves while the claim lives.
func dirtyFlag(session sarama.ConsumerGroupSession, topic string, partition int32) reflect.Value {
	value := follow(follow(reflect.ValueOf(session), "offsets"), "poms")
	for _, key := range []reflect.Value{reflect.ValueOf(topic), reflect.ValueOf(partition)} {
		if value.Kind() != reflect.Map || value.Type().Key() != key.Type() {
			return reflect.Value{}
		}
		value = value.MapIndex(key)
	}
	if value = follow(value, "dirty"); value.Kind() != reflect.Bool {
		return reflect.Value{}
	}
	return value
}

func follow(value reflect.Value, name string) reflect.Value {
	for value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	if value.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return value.FieldByName(name)
}

// mark marks a record as done, or has it marked once the commit under way is over: a mark would hide its success.
// Before, it looks whether what was marked so far is committed.
func (c *claim) mark(message *sarama.ConsumerMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held {
		c.waiting = message
		return
	}
	c.look()
	c.session.MarkMessage(message, "")
	c.marked = message.Offset + 1
}

// hold begins a commit; it says whether there is anything to commit.
func (c *claim) hold() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = true
	return c.marked > c.reported
}

// release ends a commit.
func (c *claim) release() {
	c.mu.Lock()
	c.look()
	c.held = false
	message := c.waiting
	c.waiting = nil
	c.mu.Unlock()
	if message != nil {
		c.mark(message)
	}
}

// settle looks once more, when nothing will be marked any more.
func (c *claim) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look()
}

// look reports the marked offset once it is committed.
func (c *claim) look() {
	if c.marked <= c.reported || !c.dirty.IsValid() || c.dirty.Bool() {
		return
	}
	c.reported = c.marked
	c.out.Event(driverpb.Kind_COMMITTED, at(c.partition), driver.Offset(c.marked))
}
