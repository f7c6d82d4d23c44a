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

// Protocol codes; kerr names the second one since 1.18.
const unknownServerError, operationNotAttempted, transactionAbortable = -1, 55, 120

// transactional writes records in one transaction per interval (driver.InTransaction).
type transactional struct {
	*writer
	closing chan struct{}
	running context.Context
	stop    context.CancelFunc
	loop    sync.WaitGroup
	number  int64 // of the transaction
	unknown bool  // whether the last commit was made is not known
	over    bool  // the producer is unusable
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
	t := &transactional{
		writer: w, closing: make(chan struct{}), running: running, stop: stop,
	}
	t.loop.Go(func() { driver.Tick(t.closing, out.Interval, t.transaction) })
	return t, nil
}

// transaction runs one transaction from begin to commit or abort, as the library's own example does.
func (t *transactional) transaction() {
	if t.over {
		return
	}
	if err := t.begin(); err != nil {
		t.report(driverpb.Kind_TXN_ERROR, driver.Failed(describe(err)))
		t.over = true
		t.out.Fatal(describe(err), "no transaction can begin, the producer must be replaced: %v", err)
		return
	}
	t.report(driverpb.Kind_TXN_BEGUN)
	complete := t.records()
	t.out.Busy()
	t.end(complete)
	t.number++
}

// begin begins a transaction. In newer versions a commit without a confirmed outcome leaves the transaction open, and
// EndTransaction's documentation asks for an abort. That it succeeds does not say that the commit was not made, so the
// transaction keeps its error.
func (t *transactional) begin() error {
	err := t.library.BeginTransaction()
	if err == nil || !t.unknown {
		return err
	}
	if ended := t.abandon(); ended != nil {
		return errors.Join(err, ended)
	}
	return t.library.BeginTransaction()
}

func (t *transactional) abandon() error {
	if err := t.library.AbortBufferedRecords(t.running); err != nil {
		return err
	}
	return t.library.EndTransaction(t.running, kgo.TryAbort)
}

// records writes the records of the transaction and waits for the results; false if any failed.
func (t *transactional) records() bool {
	places := driver.InTransaction(t.start, t.number)
	outcomes := make(chan error, len(places))
	for _, place := range places {
		t.write(place.Partition, place.Sequence, func(err error) { outcomes <- err })
	}
	complete := true
	for range places {
		select {
		case err := <-outcomes:
			complete = complete && err == nil
		case <-t.running.Done():
			return false
		}
	}
	return complete
}

// end commits, or aborts after a failure. A failed commit is followed by an abort only where the library asks for one:
// otherwise the result is unknown, and an abort would send nothing and succeed.
func (t *transactional) end(complete bool) {
	t.unknown = false
	if complete {
		err := t.finish(kgo.TryCommit, driverpb.Kind_TXN_COMMITTED)
		t.unknown = unconfirmed(err)
		if !abortable(err) {
			return
		}
	}
	if t.running.Err() != nil {
		return
	}
	if err := t.library.AbortBufferedRecords(t.running); err != nil {
		t.report(driverpb.Kind_TXN_ERROR, driver.Failed(describe(err)))
		return
	}
	_ = t.finish(kgo.TryAbort, driverpb.Kind_TXN_ABORTED) // it was reported
}

func (t *transactional) finish(try kgo.TransactionEndTry, done driverpb.Kind) error {
	err := t.library.EndTransaction(t.running, try)
	if err != nil {
		t.report(driverpb.Kind_TXN_ERROR, driver.Failed(describe(err)))
		return err
	}
	t.report(done)
	return nil
}

// abortable reports whether EndTransaction made no attempt, or allows an abort by its documentation: after no other
// error.
func abortable(err error) bool {
	var coded *kerr.Error
	return errors.As(err, &coded) && (coded.Code == operationNotAttempted || coded.Code == transactionAbortable)
}

// unconfirmed reports whether a commit may or may not have been made: no answer came, or one that does not say.
func unconfirmed(err error) bool {
	var coded *kerr.Error
	return err != nil && (!errors.As(err, &coded) || coded.Code == unknownServerError)
}

func (t *transactional) report(kind driverpb.Kind, with ...func(*driverpb.Event)) {
	t.out.Event(kind, append(with, driver.At(-1, t.number))...)
}

func (t *transactional) Close() {
	close(t.closing)
	t.stop()
	t.loop.Wait()
	t.close()
}
