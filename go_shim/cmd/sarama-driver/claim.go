package main

import (
	"reflect"
	"sync"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// claim tracks which offset of one partition was marked, and whether it was committed.
//
// sarama does not report a successful commit: Commit returns nothing, and the errors 14, 15 and 16 are dropped
// (handleResponse in offset_manager.go). Its own state is partitionOffsetManager.dirty, which only a commit without an
// error clears, and only if nothing was marked since. The driver reads that flag.
type claim struct {
	session   sarama.ConsumerGroupSession
	topic     string
	partition int32
	out       *driver.Instance
	dirty     reflect.Value // invalid if this version has no such flag: no commit is reported then

	mu       sync.Mutex // guards the fields below
	marked   int64      // next offset to read; -1 before the first
	reported int64
	held     bool                    // a commit is under way
	waiting  *sarama.ConsumerMessage // the last record to mark after it
}

func newClaim(session sarama.ConsumerGroupSession, part sarama.ConsumerGroupClaim, out *driver.Instance) *claim {
	c := &claim{
		session: session, topic: part.Topic(), partition: part.Partition(), out: out, marked: -1, reported: -1,
		dirty: dirtyFlag(session, part.Topic(), part.Partition()),
	}
	if !c.dirty.IsValid() {
		out.Notice("%s: committed offsets cannot be read", named())
	}
	return c
}

// dirtyFlag finds session.offsets.poms[topic][partition].dirty, whose address is stable while the claim lives.
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

// mark marks a record as done, or does so after the commit under way: a mark would hide the success of that commit.
// Before a mark, an earlier commit is reported.
func (c *claim) mark(message *sarama.ConsumerMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held {
		c.waiting = message
		return
	}
	c.report()
	c.session.MarkMessage(message, "")
	c.marked = message.Offset + 1
}

// hold begins a commit; it returns whether there is anything to commit.
func (c *claim) hold() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = true
	return c.marked > c.reported
}

// release ends a commit.
func (c *claim) release() {
	c.mu.Lock()
	c.report()
	c.held = false
	message := c.waiting
	c.waiting = nil
	c.mu.Unlock()
	if message != nil {
		c.mark(message)
	}
}

// settle reports the last commit, after the last mark.
func (c *claim) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report()
}

// report reports the marked offset once it is committed.
func (c *claim) report() {
	if c.marked <= c.reported || !c.dirty.IsValid() || c.dirty.Bool() {
		return
	}
	c.reported = c.marked
	c.out.Event(driverpb.Kind_COMMITTED, driver.Partition(c.partition), driver.Offset(c.marked))
}
