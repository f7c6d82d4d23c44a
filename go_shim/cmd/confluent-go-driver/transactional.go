//go:build confluent

package main

import (
	"errors"
	"sync"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// repeatPause is the pause before a failed call is repeated.
const repeatPause = 100 * time.Millisecond

// transactional writes records in one transaction per interval (driver.InTransaction). An error of a call states its
// remedy: call again if it is retriable, close if it is fatal, else abort.
type transactional struct {
	*writer
	closing chan struct{}
	loop    sync.WaitGroup
	members *kafka.ConsumerGroupMetadata
	number  int64 // of the transaction
	over    bool  // the producer is unusable
}

func openTransactional(set config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	w, err := newWriter(set, start, out)
	if err != nil {
		return nil, err
	}
	t := &transactional{writer: w, closing: make(chan struct{})}
	t.loop.Go(t.run)
	return t, nil
}

func (t *transactional) run() {
	t.number = -1
	begun, err := t.repeat(func() error { return t.library.InitTransactions(nil) })
	if err != nil {
		t.end(err)
	}
	if !begun {
		return
	}
	t.number = 0
	driver.Tick(t.closing, t.out.Interval, t.transaction)
}

// transaction runs one transaction from begin to commit or abort.
func (t *transactional) transaction() {
	if t.over {
		return
	}
	defer func() { t.number++ }()
	committed, err := t.attempt()
	if committed {
		t.report(driverpb.Kind_TXN_COMMITTED)
	}
	if err == nil {
		return
	}
	t.report(driverpb.Kind_TXN_ERROR, driver.Failed(describe(err)))
	if isFinal(err) {
		t.end(err)
		return
	}
	aborted, err := t.repeat(func() error { return t.library.AbortTransaction(nil) })
	if err != nil {
		t.end(err)
	} else if aborted {
		t.report(driverpb.Kind_TXN_ABORTED)
	}
}

func (t *transactional) attempt() (committed bool, err error) {
	if err := t.library.BeginTransaction(); err != nil {
		return false, err
	}
	t.report(driverpb.Kind_TXN_BEGUN)
	for _, place := range driver.InTransaction(t.start, t.number) {
		t.write(place.Partition, place.Sequence, func(error) {})
	}
	if t.start.Group != "" {
		if err := t.offsets(); err != nil {
			return false, err
		}
	}
	t.out.Busy()
	return t.repeat(func() error { return t.library.CommitTransaction(nil) })
}

// offsets commits an offset of the group as part of the transaction. Only a consumer makes the metadata of a group; this
// one sends no request.
func (t *transactional) offsets() error {
	if t.members == nil {
		reader, err := kafka.NewConsumer(&kafka.ConfigMap{"group.id": t.start.Group})
		if err != nil {
			return err
		}
		t.members, err = reader.GetConsumerGroupMetadata()
		if err = errors.Join(err, reader.Close()); err != nil {
			return err
		}
	}
	first := kafka.TopicPartition{
		Topic: &t.start.Topic, Partition: t.start.Partitions[0], Offset: kafka.Offset(t.number),
	}
	return t.library.SendOffsetsToTransaction(nil, []kafka.TopicPartition{first}, t.members)
}

// repeat repeats a call while the library allows that; false without an error if closing was asked for meanwhile.
func (t *transactional) repeat(call func() error) (done bool, err error) {
	for !t.isClosing() {
		if err = call(); err == nil {
			return true, nil
		}
		var failed kafka.Error
		if !errors.As(err, &failed) || !failed.IsRetriable() {
			return false, err
		}
		t.report(driverpb.Kind_TXN_ERROR, driver.Failed(describe(err)))
		select {
		case <-t.closing:
		case <-time.After(repeatPause):
		}
	}
	return false, nil
}

func isFinal(err error) bool {
	var failed kafka.Error
	return !errors.As(err, &failed) || failed.IsFatal()
}

// end reports that the producer can only be closed.
func (t *transactional) end(err error) {
	t.over = true
	if t.isClosing() {
		t.out.Notice("while closing: %v", err)
		return
	}
	t.out.Fatal(describe(err), "the producer must be replaced: %v", err)
}

func (t *transactional) isClosing() bool {
	select {
	case <-t.closing:
		return true
	default:
		return false
	}
}

func (t *transactional) report(kind driverpb.Kind, with ...func(*driverpb.Event)) {
	t.out.Event(kind, append(with, driver.At(-1, t.number))...)
}

func (t *transactional) Close() {
	close(t.closing)
	t.loop.Wait()
	t.close()
}
