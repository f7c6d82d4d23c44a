package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

const (
	// consumePause is the pause after a failed Consume, as in applications.
	consumePause = time.Second
	// errorsLag is the delay after a commit within which its error may arrive from the group's channel.
	errorsLag = 50 * time.Millisecond
)

// group is a subscribed member that marks every record and commits by itself where the library has Commit; otherwise
// the library commits in the background.
type group struct {
	library sarama.ConsumerGroup
	out     *driver.Instance
	topic   string
	own     bool // it commits by itself
	stop    context.CancelFunc
	done    sync.WaitGroup

	mu       sync.Mutex
	claims   map[int32]*claim // of this generation
	commitBy time.Time        // errors until then may be those of a commit
}

func hasCommit() bool { return has[sarama.ConsumerGroupSession]("Commit") }

// disableAutoCommit turns background commits off where the library has the switch.
func disableAutoCommit(config *sarama.Config) {
	if toggle := field(config, "Consumer.Offsets.AutoCommit.Enable"); toggle.IsValid() {
		toggle.SetBool(false)
	}
}

func openGroup(config *sarama.Config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	library, err := sarama.NewConsumerGroup(start.Bootstrap, start.Group, config)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.Background())
	g := &group{library: library, out: out, topic: start.Topic, stop: stop, claims: map[int32]*claim{}}
	g.own = start.Profile != autocommit
	out.Ready(settings(config, start.Role))
	g.done.Add(2)
	go g.reportErrors()
	go g.consume(running)
	return g, nil
}

// consume calls Consume in a loop, as documented: it returns at every rebalance.
func (g *group) consume(running context.Context) {
	defer g.done.Done()
	for running.Err() == nil {
		err := g.library.Consume(running, []string{g.topic}, g)
		if err == nil || running.Err() != nil || errors.Is(err, sarama.ErrClosedConsumerGroup) {
			continue
		}
		g.out.Event(driverpb.Kind_RECEIVE_ERROR, driver.Failed(describe(err)))
		select {
		case <-running.Done():
		case <-time.After(consumePause):
		}
	}
}

func (g *group) reportErrors() {
	defer g.done.Done()
	for err := range g.library.Errors() {
		reportReading(g.out, err, g.ofCommit)
	}
}

// reportReading reports an error of a reader's channel of errors.
func reportReading(out *driver.Instance, err error, ofCommit func(code int32) bool) {
	kind := driverpb.Kind_RECEIVE_ERROR
	partition := int32(-1)
	failed := describe(err)
	if failure, ok := err.(*sarama.ConsumerError); ok {
		partition = failure.Partition
		if ofCommit(failed.Code) {
			kind = driverpb.Kind_COMMIT_ERROR
		}
	}
	out.Event(kind, driver.Partition(partition), driver.Failed(failed))
}

// Codes of commits only, and of fetches only.
var (
	commitCodes = []int32{12, 14, 15, 16, 22, 25, 27, 28, 30}
	fetchCodes  = []int32{1, 2, 5, 6, 9, 43, 56, 70, 71, 74, 75, 76, 78, 100, 103, 106}
)

// ofCommit reports whether an error of a partition is that of a commit: by its code, else by its time, since one
// channel carries both.
func (g *group) ofCommit(code int32) bool {
	if slices.Contains(commitCodes, code) || slices.Contains(fetchCodes, code) {
		return slices.Contains(commitCodes, code)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Now().Before(g.commitBy)
}

// Setup begins a generation (sarama.ConsumerGroupHandler).
func (g *group) Setup(session sarama.ConsumerGroupSession) error {
	g.mu.Lock()
	g.claims = map[int32]*claim{}
	g.mu.Unlock()
	reportClaims(g.out, driverpb.Kind_ASSIGNED, session, g.topic)
	if committer, can := session.(interface{ Commit() }); can && g.own {
		g.done.Go(func() {
			driver.Tick(session.Context().Done(), driver.Fixed(driver.CommitInterval), func() { g.commit(committer.Commit) })
		})
	}
	return nil
}

// Cleanup ends a generation (sarama.ConsumerGroupHandler).
func (g *group) Cleanup(session sarama.ConsumerGroupSession) error {
	reportClaims(g.out, driverpb.Kind_REVOKED, session, g.topic)
	return nil
}

// reportClaims reports the partitions of a generation as assigned or revoked.
func reportClaims(out *driver.Instance, kind driverpb.Kind, session sarama.ConsumerGroupSession, topic string) {
	partitions := session.Claims()[topic]
	out.Event(kind, func(e *driverpb.Event) { e.Partitions = slices.Clone(partitions) })
}

// ConsumeClaim reads one partition of a generation (sarama.ConsumerGroupHandler).
func (g *group) ConsumeClaim(session sarama.ConsumerGroupSession, part sarama.ConsumerGroupClaim) error {
	own := newClaim(session, part, g.out)
	g.mu.Lock()
	g.claims[part.Partition()] = own
	g.mu.Unlock()
	for message := range part.Messages() {
		g.out.Received(message.Partition, message.Offset, message.Value)
		own.mark(message)
	}
	own.settle()
	return nil
}

func (g *group) commit(commit func()) {
	g.mu.Lock()
	claims := make([]*claim, 0, len(g.claims))
	for _, claim := range g.claims {
		claims = append(claims, claim)
	}
	g.commitBy = time.Now().Add(time.Hour) // for the duration of the commit
	g.mu.Unlock()
	due := false
	for _, claim := range claims {
		due = claim.hold() || due
	}
	if due {
		commit()
	}
	g.mu.Lock()
	g.commitBy = time.Now().Add(errorsLag)
	g.mu.Unlock()
	for _, claim := range claims {
		claim.release()
	}
}

func (g *group) Close() {
	g.stop()
	if err := g.library.Close(); err != nil {
		g.out.Notice("close: %v", err)
	}
	g.done.Wait()
}
