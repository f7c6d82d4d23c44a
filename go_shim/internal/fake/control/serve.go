package control

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// A frame of the control port (cluster.proto): size of the content, call, and method or state.
const (
	headSize    = 9
	maxCallSize = 16 << 20
)

// States of a reply.
const (
	answered = byte(iota)
	failed
	event
)

// methods are the service's, numbered by their place in cluster.proto.
var methods = clusterpb.File_cluster_proto.Services().ByName("FakeCluster").Methods()

// Serve answers the calls of every connection, until the listener closes.
func (s *Server) Serve(listener net.Listener) error {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go (&session{server: s, conn: conn}).run()
	}
}

// session is one connection of the orchestrator.
type session struct {
	server *Server
	conn   net.Conn
	mu     sync.Mutex // held while a reply is written
}

// run reads calls until the connection ends; each is answered in its own goroutine, since some of them wait.
func (c *session) run() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer c.conn.Close()
	reader := bufio.NewReader(c.conn)
	for {
		var head [headSize]byte
		if _, err := io.ReadFull(reader, head[:]); err != nil {
			return
		}
		size := binary.BigEndian.Uint32(head[:4])
		if size > maxCallSize {
			return
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(reader, body); err != nil {
			return
		}
		go c.answer(ctx, binary.BigEndian.Uint32(head[4:8]), int(head[8]), body)
	}
}

func (c *session) answer(ctx context.Context, call uint32, number int, body []byte) {
	reply, err := c.reply(ctx, call, number, body)
	if err != nil {
		_ = c.send(call, failed, []byte(status.Convert(err).Message()))
		return
	}
	_ = c.sendMessage(call, answered, reply) // a failure means that the orchestrator is gone
}

// reply executes a call; the events of Watch are sent until the connection ends.
func (c *session) reply(ctx context.Context, call uint32, number int, body []byte) (proto.Message, error) {
	if number >= methods.Len() {
		return nil, fmt.Errorf("there is no method %d", number)
	}
	name := string(methods.Get(number).Name())
	if name == "Watch" {
		err := c.server.log.Watch(ctx, func(e *clusterpb.Event) error { return c.sendMessage(call, event, e) })
		return nil, err
	}
	handler, err := handlerOf(name)
	if err != nil {
		return nil, err
	}
	decode := func(message any) error { return proto.Unmarshal(body, message.(proto.Message)) }
	reply, err := handler(c.server, ctx, decode, nil)
	if err != nil {
		return nil, err
	}
	return reply.(proto.Message), nil
}

func handlerOf(name string) (grpc.MethodHandler, error) {
	for _, method := range clusterpb.FakeCluster_ServiceDesc.Methods {
		if method.MethodName == name {
			return method.Handler, nil
		}
	}
	return nil, fmt.Errorf("method %s is not served", name)
}

func (c *session) sendMessage(call uint32, state byte, message proto.Message) error {
	body, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	return c.send(call, state, body)
}

func (c *session) send(call uint32, state byte, body []byte) error {
	frame := make([]byte, headSize, headSize+len(body))
	binary.BigEndian.PutUint32(frame, uint32(len(body)))
	binary.BigEndian.PutUint32(frame[4:], call)
	frame[8] = state
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.conn.Write(append(frame, body...))
	return err
}
