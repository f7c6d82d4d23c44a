package main

import (
	"context"
	"errors"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Kafka's codes; kerr names the second only since 1.18.
const operationNotAttempted, transactionAbortable = 55, 120

// transactional writes one record to each partition in one transaction each interval.
type transactional struct {
	*writer
	partitions []int32
	running    context.Context
	stop       context.CancelFunc
	loop       sync.WaitGroup
	number     int64 // of the transaction; also the sequence of its records
	over       bool  // the library let go of the producer for good
}

func openTransactional(options []kgo.Opt, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	if start.Group != "" {
		return nil, driver.Refuse("franz-go sends offsets with a transaction through its GroupTransactSession only, which must be a member")
	}
	w, err := newWriter(options, start, out, kgo.TransactionalID(start.TransactionalId))
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.Background())
	t := &transactional{writer: w, partitions: start.Partitions, running: running, stop: stop}
	t.loop.Add(1)
	go func() {
		defer t.loop.Done()
		driver.Beat(t.closing, out.Interval, t.transaction)
	}()
	return t, nil
}

// transaction plays one from begin to commit or abort, as the library's own example does.
func (t *transactional) transaction() {
	if t.over {
		return
	}
	if err := t.library.BeginTransaction(); err != nil {
		t.told(driverpb.Kind_TXN_ERROR, driver.Failed(describe(err)))
		t.over = true
		t.out.Fatal(describe(err), "no transaction can begin, the producer must be built anew: %v", err)
		return
	}
	t.told(driverpb.Kind_TXN_BEGUN)
	t.end(t.records())
	t.number++
}

// records writes one to each partition and waits for their outcomes; false if any failed.
func (t *transactional) records() bool {
	outcomes := make(chan error, len(t.partitions))
	for _, partition := range t.partitions {
		t.write(partition, t.number, func(err error) { outcomes <- err })
	}
	whole := true
	for range t.partitions {
		select {
		case err := <-outcomes:
			whole = whole && err == nil
		case <-t.running.Done():
			return false
		}
	}
	return whole
}

// end commits, or aborts where something failed. A commit that fails is followed by an abort where the library asks for
// one. Else nobody knows what became of it, and an abort would send nothing and succeed all the same.
func (t *transactional) end(whole bool) {
	if whole && !abortable(t.finish(kgo.TryCommit, driverpb.Kind_TXN_COMMITTED)) || t.running.Err() != nil {
		return
	}
	if err := t.library.AbortBufferedRecords(t.running); err != nil {
		t.told(driverpb.Kind_TXN_ERROR, driver.Failed(describe(err)))
		return
	}
	_ = t.finish(kgo.TryAbort, driverpb.Kind_TXN_ABORTED) // it was told
}

func (t *transactional) finish(try kgo.TransactionEndTry, done driverpb.Kind) error {
	err := t.library.EndTransaction(t.running, try)
	if err != nil {
		t.told(driverpb.Kind_TXN_ERROR, driver.Failed(describe(err)))
		return err
	}
	t.told(done)
	return nil
}

// abortable says whether EndTransaction did not try to commit, or may be followed by an abort, as its documentation has
// it: after no other error.
func abortable(err error) bool {
	var coded *kerr.Error
	return errors.As(err, &coded) && (coded.Code == operationNotAttempted || coded.Code == transactionAbortable)
}

func (t *transactional) told(kind driverpb.Kind, with ...func(*driverpb.Event)) {
	t.out.Event(kind, append(with, driver.At(-1, t.number))...)
}

func (t *transactional) Close() {
	close(t.closing)
	t.stop()
	t.loop.Wait()
	t.close()
}
