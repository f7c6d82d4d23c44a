//go:build watermill

package main

import (
	"context"
	"sync"

	"github.com/IBM/sarama"
	"github.com/ThreeDotsLabs/watermill-kafka/v3/pkg/kafka"
	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// subscriber reads all partitions of a topic, in a group or without one, and acknowledges every message.
type subscriber struct {
	library  *kafka.Subscriber
	log      *wrapperLog
	reader   sync.WaitGroup
	handlers sync.WaitGroup
}

func openSubscriber(config *sarama.Config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	log := newWrapperLog(out)
	set := kafka.SubscriberConfig{
		Brokers: start.Bootstrap, Unmarshaler: kafka.DefaultMarshaler{}, OverwriteSaramaConfig: config,
	}
	if start.Role == "group" {
		set.ConsumerGroup = start.Group
		set.Tracer = observer{log: log, topic: start.Topic}
	}
	library, err := kafka.NewSubscriber(set, log)
	if err != nil {
		return nil, err
	}
	messages, err := library.Subscribe(context.Background(), start.Topic)
	if err != nil {
		close(log.ready)
		return nil, err
	}
	s := &subscriber{library: library, log: log}
	log.begin(settings(config, start.Role))
	s.reader.Go(func() { s.read(messages) })
	return s, nil
}

// read handles each message on a goroutine of its own, as the wrapper's Router does: it passes on the next one of a
// partition only after an acknowledgement.
func (s *subscriber) read(messages <-chan *message.Message) {
	for msg := range messages {
		s.handlers.Go(func() {
			partition, _ := kafka.MessagePartitionFromCtx(msg.Context())
			offset, _ := kafka.MessagePartitionOffsetFromCtx(msg.Context())
			s.log.Out.Received(partition, offset, msg.Payload)
			msg.Ack()
		})
	}
	if !s.log.closing.Load() {
		s.log.Out.Fatal(nil, "the wrapper closed the subscription by itself")
	}
}

func (s *subscriber) Close() {
	s.log.closing.Store(true)
	if err := s.library.Close(); err != nil {
		s.log.Out.Notice("close: %v", err)
	}
	s.reader.Wait()
	s.handlers.Wait()
}

// observer sees what a group's member is assigned and what it commits, through the wrapper's hook for tracing, which changes
// nothing.
type observer struct {
	kafka.SaramaTracer
	log   *wrapperLog
	topic string
}

// WrapConsumerGroupHandler is called before the member joins; the other hooks are for readers without a group, and writers.
func (o observer) WrapConsumerGroupHandler(inner sarama.ConsumerGroupHandler) sarama.ConsumerGroupHandler {
	return observed{ConsumerGroupHandler: inner, log: o.log, topic: o.topic}
}

type observed struct {
	sarama.ConsumerGroupHandler
	log   *wrapperLog
	topic string
}

// Setup begins a generation.
func (o observed) Setup(session sarama.ConsumerGroupSession) error {
	<-o.log.ready
	reportClaims(o.log.Out, driverpb.Kind_ASSIGNED, session, o.topic)
	return o.ConsumerGroupHandler.Setup(session)
}

// Cleanup ends a generation.
func (o observed) Cleanup(session sarama.ConsumerGroupSession) error {
	err := o.ConsumerGroupHandler.Cleanup(session)
	reportClaims(o.log.Out, driverpb.Kind_REVOKED, session, o.topic)
	return err
}

// ConsumeClaim reads one partition of a generation.
func (o observed) ConsumeClaim(session sarama.ConsumerGroupSession, part sarama.ConsumerGroupClaim) error {
	own := newClaim(session, part, o.log.Out)
	err := o.ConsumerGroupHandler.ConsumeClaim(marking{session, own}, part)
	own.settle()
	return err
}

// marking is a session that reports which marked offsets were committed.
type marking struct {
	sarama.ConsumerGroupSession
	own *claim
}

// MarkMessage is called for an acknowledged message.
func (m marking) MarkMessage(msg *sarama.ConsumerMessage, _ string) { m.own.mark(msg) }

// Commit is called after it where background commits are switched off.
func (m marking) Commit() {
	m.own.hold()
	m.ConsumerGroupSession.Commit()
	m.own.release()
}
