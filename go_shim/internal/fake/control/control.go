// Package control serves the orchestrator's requests (cluster.proto) by calls to the front and the backend.
package control

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/backend"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/events"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/front"
	"github.com/twmb/franz-go/pkg/kgo"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Server is the FakeCluster service of one cluster.
type Server struct {
	clusterpb.UnimplementedFakeClusterServer
	front   *front.Front
	backend *backend.Backend
	log     *events.Log

	mu    sync.Mutex
	feeds map[string]*front.Feed
}

// New makes the service.
func New(f *front.Front, b *backend.Backend, log *events.Log) *Server {
	return &Server{front: f, backend: b, log: log, feeds: map[string]*front.Feed{}}
}

func refused(err error) error { return status.Error(codes.InvalidArgument, err.Error()) }

// CreateTopic implements the service.
func (s *Server) CreateTopic(_ context.Context, req *clusterpb.CreateTopicRequest) (*clusterpb.CreateTopicReply, error) {
	id, err := s.front.CreateTopic(req.Topic, req.Partitions, req.History)
	if err != nil {
		return nil, refused(err)
	}
	reply := &clusterpb.CreateTopicReply{TopicId: id[:]}
	for p := range req.Partitions {
		info := s.backend.Partition(req.Topic, int32(p))
		reply.Partitions = append(reply.Partitions, &clusterpb.PartitionState{Epoch: info.Epoch, Start: info.LogStartOffset, End: info.HighWatermark})
	}
	return reply, nil
}

// StartFeed implements the service.
func (s *Server) StartFeed(_ context.Context, req *clusterpb.FeedRequest) (*clusterpb.Done, error) {
	if req.IntervalMs <= 0 {
		return nil, refused(fmt.Errorf("feed of %q: interval_ms must be above 0", req.Topic))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if feed := s.feeds[req.Topic]; feed != nil {
		if err := feed.SetInterval(req); err != nil {
			return nil, status.Error(codes.Internal, err.Error())
		}
		return done(events.Now()), nil
	}
	feed, err := s.front.NewFeed(req)
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	s.feeds[req.Topic] = feed
	return done(events.Now()), nil
}

// StopFeed implements the service; a topic without a feed is no error.
func (s *Server) StopFeed(_ context.Context, req *clusterpb.Topic) (*clusterpb.Done, error) {
	s.mu.Lock()
	feed := s.feeds[req.Topic]
	delete(s.feeds, req.Topic)
	s.mu.Unlock()
	if feed != nil {
		feed.Stop()
	}
	return done(events.Now()), nil
}

// Inject implements the service.
func (s *Server) Inject(_ context.Context, req *clusterpb.Fault) (*clusterpb.Done, error) {
	at, err := s.front.Inject(req)
	if err != nil {
		return nil, refused(err)
	}
	return done(at), nil
}

// Heal implements the service.
func (s *Server) Heal(context.Context, *clusterpb.Done) (*clusterpb.Done, error) {
	return done(s.front.Heal()), nil
}

// Apply implements the service.
func (s *Server) Apply(_ context.Context, req *clusterpb.Change) (*clusterpb.Done, error) {
	at, err := s.front.Apply(req)
	if err != nil {
		return nil, refused(err)
	}
	return done(at), nil
}

// Coordinator implements the service.
func (s *Server) Coordinator(_ context.Context, req *clusterpb.CoordinatorQuestion) (*clusterpb.CoordinatorReply, error) {
	if req.Key == "" || req.KeyType != 0 && req.KeyType != 1 {
		return nil, refused(fmt.Errorf("coordinator of %q: give a key, and type 0 (group) or 1 (transaction)", req.Key))
	}
	return &clusterpb.CoordinatorReply{Broker: s.front.CoordinatorOf(int8(req.KeyType), req.Key)}, nil
}

// ReadBack implements the service.
func (s *Server) ReadBack(_ context.Context, req *clusterpb.Topic) (*clusterpb.ReadBackReply, error) {
	_, partitions, ok := s.backend.Topic(req.Topic)
	if !ok {
		return nil, status.Errorf(codes.NotFound, "there is no topic %q", req.Topic)
	}
	out := &clusterpb.ReadBackReply{Whole: true}
	for _, p := range partitions {
		err := s.backend.Read(req.Topic, p.Partition, func(r *kgo.Record) {
			out.Records = append(out.Records, &clusterpb.Record{Partition: r.Partition, Offset: r.Offset, Value: string(r.Value)})
		})
		if err != nil {
			out.Whole = false
			s.log.Add(&clusterpb.Event{Kind: clusterpb.Event_NOTE, Broker: -1, Topic: req.Topic, Partition: p.Partition, Text: "read-back: " + err.Error()})
		}
	}
	slices.SortStableFunc(out.Records, func(a, b *clusterpb.Record) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
	})
	return out, nil
}

// Committed implements the service; a group without commits has no offsets.
func (s *Server) Committed(_ context.Context, req *clusterpb.Group) (*clusterpb.CommittedReply, error) {
	out := &clusterpb.CommittedReply{Offsets: map[int32]int64{}}
	if info := s.backend.Group(req.Group); info != nil {
		for partition, commit := range info.Commits[req.Topic] {
			out.Offsets[partition] = commit.Offset
		}
	}
	return out, nil
}

// Counts implements the service.
func (s *Server) Counts(context.Context, *clusterpb.Done) (*clusterpb.CountsReply, error) {
	return &clusterpb.CountsReply{Counts: s.front.Counts(), StalledMs: s.front.StalledMs()}, nil
}

func done(at int64) *clusterpb.Done { return &clusterpb.Done{AtUs: at} }
