package driver

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const dialLimit = 10 * time.Second

type stream = grpc.BidiStreamingClient[driverpb.FromDriver, driverpb.ToDriver]

// session is one Attach stream with the instances that were started over it.
type session struct {
	library   *Library
	stream    stream
	sending   sync.Mutex // a gRPC stream allows one sender at a time
	out       *outbox
	mu        sync.Mutex
	instances map[string]*Instance
}

// Main runs a driver until its stream or its standard input ends; then its process group is killed.
func Main(library *Library) {
	address := flag.String("connect", "", "the orchestrator's `host:port`")
	token := flag.String("token", "", "secret that the orchestrator expects in Hello")
	flag.Parse()
	if *address == "" || *token == "" {
		fmt.Fprintln(os.Stderr, "usage: driver --connect HOST:PORT --token T")
		os.Exit(2)
	}
	go exitWithParent()
	if err := attach(library, *address, *token); err != nil {
		fmt.Fprintf(os.Stderr, "%s driver: %v\n", library.Family, err)
	}
	exit()
}

func attach(library *Library, address, token string) error {
	connection, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy())
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	background, cancel := context.WithCancel(context.Background())
	defer cancel()
	timer := time.AfterFunc(dialLimit, cancel)
	over, err := driverpb.NewOrchestratorClient(connection).Attach(background, grpc.WaitForReady(true))
	if err != nil {
		return fmt.Errorf("no orchestrator at %s within %v: %w", address, dialLimit, err)
	}
	if !timer.Stop() {
		return fmt.Errorf("no orchestrator at %s within %v", address, dialLimit)
	}
	s := &session{library: library, stream: over, out: newOutbox(), instances: map[string]*Instance{}}
	return s.serve(token)
}

func (s *session) serve(token string) error {
	hello := &driverpb.Hello{
		Token: token, Family: s.library.Family, Version: s.library.Version, Runtime: runtime.Version(),
		Roles: s.library.Roles, Profiles: s.library.Profiles,
	}
	if err := s.send(&driverpb.FromDriver{Message: &driverpb.FromDriver_Hello{Hello: hello}}); err != nil {
		return err
	}
	go s.out.run(s.stream.Context().Done(), func(batch []*driverpb.Event) error {
		return s.send(&driverpb.FromDriver{Message: &driverpb.FromDriver_Events{Events: &driverpb.Events{Events: batch}}})
	})
	for {
		message, err := s.stream.Recv()
		if err != nil {
			return fmt.Errorf("the stream ended: %w", err)
		}
		if err := s.handle(message); err != nil {
			return err
		}
	}
}

func (s *session) handle(order *driverpb.ToDriver) error {
	switch message := order.Message.(type) {
	case *driverpb.ToDriver_Ping:
		pong := &driverpb.Pong{Id: message.Ping.Id, ClockUs: Clock()}
		return s.send(&driverpb.FromDriver{Message: &driverpb.FromDriver_Pong{Pong: pong}})
	case *driverpb.ToDriver_Start:
		s.start(message.Start)
	case *driverpb.ToDriver_Stop:
		s.stop(message.Stop)
	case *driverpb.ToDriver_Pace:
		s.pace(message.Pace)
	case *driverpb.ToDriver_Handle:
		s.busy(message.Handle)
	default:
		return errors.New("the orchestrator sent an unknown message")
	}
	return nil
}

func (s *session) start(start *driverpb.Start) {
	instance := newInstance(start, s.out)
	s.mu.Lock()
	running := s.instances[start.Instance]
	if running == nil || running.Ended() {
		s.instances[start.Instance] = instance
	}
	s.mu.Unlock()
	if running != nil && !running.Ended() {
		running.Notice("a second start under this name was ignored")
		return
	}
	go instance.open(s.library, start)
}

// pace sets the interval between operations of an instance.
func (s *session) pace(pace *driverpb.Pace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if instance := s.instances[pace.Instance]; instance != nil {
		instance.interval.Store(pace.IntervalMs)
	}
}

// busy lets the application of an instance handle the next record for some time.
func (s *session) busy(order *driverpb.Handle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if instance := s.instances[order.Instance]; instance != nil {
		instance.handler.Store(order.HandlerMs)
	}
}

// stop ends an instance; an unknown one has ended already and needs no answer.
func (s *session) stop(stop *driverpb.Stop) {
	s.mu.Lock()
	instance := s.instances[stop.Instance]
	delete(s.instances, stop.Instance)
	s.mu.Unlock()
	if instance != nil {
		go instance.stop(time.Duration(stop.DeadlineMs) * time.Millisecond)
	}
}

func (s *session) send(message *driverpb.FromDriver) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return s.stream.Send(message)
}
