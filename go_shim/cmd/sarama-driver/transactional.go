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

// transactions are the methods of AsyncProducer since it has transactions; older versions must compile without them.
type transactions interface {
	BeginTxn() error
	CommitTxn() error
	AbortTxn() error
	AddMessageToTxn(msg *sarama.ConsumerMessage, groupID string, metadata *string) error
}

// retryPause is the pause between attempts to end a transaction, in addition to the library's own attempts.
const retryPause = 100 * time.Millisecond

// transactional writes records in one transaction per interval (driver.InTransaction).
type transactional struct {
	*writer
	library transactions
	group   string // empty: transactions carry no offsets
	loop    sync.WaitGroup
	number  int64           // of the transaction
	failure *driverpb.Error // of the last failed call
}

// enableTransactions sets what transactions need.
func enableTransactions(config *sarama.Config, id string) error {
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
	t := &transactional{
		writer: w, library: any(w.library).(transactions), group: start.Group,
	}
	t.loop.Go(func() { driver.Tick(t.closing, out.Interval, t.transaction) })
	return t, nil
}

// transaction runs one transaction from begin to commit or abort, as the library's own example does.
func (t *transactional) transaction() {
	if err := t.library.BeginTxn(); err != nil {
		t.failed(err)
		t.end(false)
		return
	}
	t.report(driverpb.Kind_TXN_BEGUN)
	complete := t.records() && t.offsets()
	t.out.Busy()
	t.end(complete)
	t.number++
}

// offsets commits an offset of the group as part of the transaction, as a consume-transform-produce application does.
func (t *transactional) offsets() bool {
	if t.group == "" {
		return true
	}
	read := &sarama.ConsumerMessage{Topic: t.start.Topic, Partition: t.start.Partitions[0], Offset: t.number}
	if err := t.library.AddMessageToTxn(read, t.group, nil); err != nil {
		t.failed(err)
		return false
	}
	return true
}

// records writes the records of the transaction and waits for the results; false if any failed.
func (t *transactional) records() bool {
	places := driver.InTransaction(t.start, t.number)
	outcomes := make(chan error, len(places))
	begun := 0
	for _, place := range places {
		if t.write(place.Partition, place.Sequence, func(err error) { outcomes <- err }) {
			begun++
		}
	}
	complete := begun == len(places)
	for range begun {
		if <-outcomes != nil {
			complete = false
		}
	}
	return complete
}

// end commits, or aborts after a failure, until the transaction has ended. A call that gave up (after 50 attempts, 5 s)
// leaves the transaction ending, or the producer without the new epoch that it asked for: no other transaction can
// begin, and the library's example repeats the call.
func (t *transactional) end(commit bool) {
	for repeated := false; !t.stopping(); repeated = true {
		switch status := t.status(); {
		case strings.Contains(status, "FatalError"):
			t.out.Fatal(t.failure, "the producer is in a fatal state (%s) and must be replaced", status)
			return
		case strings.Contains(status, "AbortableError"):
			commit = false
		case repeated && strings.Contains(status, "Initializing"):
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
		t.report(driverpb.Kind_TXN_COMMITTED)
		return nil
	}
	if err := t.library.AbortTxn(); err != nil {
		return err
	}
	t.report(driverpb.Kind_TXN_ABORTED)
	return nil
}

// status returns the library's name of the transaction's state, such as ProducerTxnStateInTransaction.
func (t *transactional) status() string {
	return fmt.Sprint(reflect.ValueOf(t.library).MethodByName("TxnStatus").Call(nil)[0].Interface())
}

func (t *transactional) failed(err error) {
	t.failure = describe(err)
	t.report(driverpb.Kind_TXN_ERROR, driver.Failed(t.failure))
}

func (t *transactional) report(kind driverpb.Kind, with ...func(*driverpb.Event)) {
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
