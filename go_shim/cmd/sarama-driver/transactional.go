package main

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// transactions is what AsyncProducer gained with them; older versions must compile without.
type transactions interface {
	BeginTxn() error
	CommitTxn() error
	AbortTxn() error
	AddMessageToTxn(msg *sarama.ConsumerMessage, groupID string, metadata *string) error
}

// retryPause lies between attempts to end a transaction, on top of the library's own attempts.
const retryPause = 100 * time.Millisecond

// transactional writes one record to each partition in one transaction each interval.
type transactional struct {
	*writer
	library    transactions
	partitions []int32
	topic      string
	group      string // empty: transactions carry no offsets
	loop       sync.WaitGroup
	number     int64           // of the transaction; also the sequence of its records
	failure    *driverpb.Error // the last
}

// transact asks for what transactions need.
func transact(config *sarama.Config, id string) error {
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Net.MaxOpenRequests = 1
	if err := assign(config, "Producer.Idempotent", "true"); err != nil {
		return err
	}
	return assign(config, "Producer.Transaction.ID", id)
}

func openTransactional(config *sarama.Config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	w, err := newWriter(config, start, out)
	if err != nil {
		return nil, err
	}
	t := &transactional{writer: w, library: any(w.library).(transactions), partitions: start.Partitions, topic: start.Topic, group: start.Group}
	t.loop.Add(1)
	go func() {
		defer t.loop.Done()
		driver.Beat(t.closing, out.Interval, t.transaction)
	}()
	return t, nil
}

// transaction plays one from begin to commit or abort, as the library's own example does.
func (t *transactional) transaction() {
	if err := t.library.BeginTxn(); err != nil {
		t.failed(err)
		t.end(false)
		return
	}
	t.told(driverpb.Kind_TXN_BEGUN)
	t.end(t.records() && t.offsets())
	t.number++
}

// offsets commits one of the group's as part of the transaction, as one that consumes, transforms and produces does.
func (t *transactional) offsets() bool {
	if t.group == "" {
		return true
	}
	read := &sarama.ConsumerMessage{Topic: t.topic, Partition: t.partitions[0], Offset: t.number}
	if err := t.library.AddMessageToTxn(read, t.group, nil); err != nil {
		t.failed(err)
		return false
	}
	return true
}

// records writes one to each partition and waits for their outcomes; false if any failed.
func (t *transactional) records() bool {
	outcomes := make(chan error, len(t.partitions))
	begun := 0
	for _, partition := range t.partitions {
		if t.write(partition, t.number, func(err error) { outcomes <- err }) {
			begun++
		}
	}
	whole := begun == len(t.partitions)
	for range begun {
		if <-outcomes != nil {
			whole = false
		}
	}
	return whole
}

// end commits, or aborts where something failed, until the library has let go of the transaction. A call that gave up
// (after 50 attempts, 5 s) leaves it ending: nothing can begin then, and the library's example makes the call again.
func (t *transactional) end(commit bool) {
	for !t.stopping() {
		switch status := t.status(); {
		case strings.Contains(status, "FatalError"):
			t.out.Fatal(t.failure, "the producer is in a fatal state (%s) and must be built anew", status)
			return
		case strings.Contains(status, "AbortableError"):
			commit = false
		case !strings.Contains(status, "InTransaction") && !strings.Contains(status, "EndTransaction"):
			return
		}
		err := t.finish(commit)
		if err == nil {
			return
		}
		t.failed(err)
		time.Sleep(retryPause)
	}
}

func (t *transactional) finish(commit bool) error {
	if commit {
		if err := t.library.CommitTxn(); err != nil {
			return err
		}
		t.told(driverpb.Kind_TXN_COMMITTED)
		return nil
	}
	if err := t.library.AbortTxn(); err != nil {
		return err
	}
	t.told(driverpb.Kind_TXN_ABORTED)
	return nil
}

// status is the library's own word for the state of its transaction, such as ProducerTxnStateInTransaction.
func (t *transactional) status() string {
	return fmt.Sprint(reflect.ValueOf(t.library).MethodByName("TxnStatus").Call(nil)[0].Interface())
}

func (t *transactional) failed(err error) {
	t.failure = describe(err)
	t.told(driverpb.Kind_TXN_ERROR, driver.Failed(t.failure))
}

func (t *transactional) told(kind driverpb.Kind, with ...func(*driverpb.Event)) {
	t.out.Event(kind, append(with, driver.At(-1, t.number))...)
}

func (t *transactional) stopping() bool {
	select {
	case <-t.closing:
		return true
	default:
		return false
	}
}

func (t *transactional) Close() {
	close(t.closing)
	t.loop.Wait()
	t.close()
}
