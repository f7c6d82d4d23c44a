package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// controlConn lets the generated client speak the frames of the control port.
type controlConn struct {
	net.Conn
	mu      sync.Mutex
	calls   uint32
	waiting map[uint32]chan frame
}

type frame struct {
	state   byte
	content []byte
}

func dial(address string) (*controlConn, error) {
	conn, err := net.Dial("tcp4", address)
	if err != nil {
		return nil, err
	}
	c := &controlConn{Conn: conn, waiting: map[uint32]chan frame{}}
	go c.read()
	return c, nil
}

func (c *controlConn) read() {
	in := bufio.NewReader(c.Conn)
	for {
		var head [9]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			break
		}
		content := make([]byte, binary.BigEndian.Uint32(head[:4]))
		if _, err := io.ReadFull(in, content); err != nil {
			break
		}
		c.mu.Lock()
		waiting := c.waiting[binary.BigEndian.Uint32(head[4:8])]
		c.mu.Unlock()
		waiting <- frame{head[8], content}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, waiting := range c.waiting {
		close(waiting)
	}
}

func (c *controlConn) call(method string, args any) (chan frame, error) {
	content, err := proto.Marshal(args.(proto.Message))
	if err != nil {
		return nil, err
	}
	name := method[strings.LastIndex(method, "/")+1:]
	number := clusterpb.File_cluster_proto.Services().ByName("FakeCluster").Methods().ByName(protoreflect.Name(name)).Index()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	replies := make(chan frame, 1000)
	c.waiting[c.calls] = replies
	out := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	out = append(binary.BigEndian.AppendUint32(out, c.calls), byte(number))
	_, err = c.Conn.Write(append(out, content...))
	return replies, err
}

func (f frame) into(reply any) error {
	if f.state == 1 {
		return errors.New(string(f.content))
	}
	return proto.Unmarshal(f.content, reply.(proto.Message))
}

// Invoke implements grpc.ClientConnInterface.
func (c *controlConn) Invoke(ctx context.Context, method string, args, reply any, _ ...grpc.CallOption) error {
	replies, err := c.call(method, args)
	if err != nil {
		return err
	}
	select {
	case f, open := <-replies:
		if !open {
			return io.EOF
		}
		return f.into(reply)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// NewStream implements grpc.ClientConnInterface.
func (c *controlConn) NewStream(ctx context.Context, _ *grpc.StreamDesc, method string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	return &controlStream{conn: c, method: method}, nil
}

type controlStream struct {
	grpc.ClientStream
	conn    *controlConn
	method  string
	replies chan frame
}

func (s *controlStream) SendMsg(m any) (err error) {
	s.replies, err = s.conn.call(s.method, m)
	return err
}

func (s *controlStream) CloseSend() error { return nil }

func (s *controlStream) RecvMsg(m any) error {
	f, open := <-s.replies
	if !open {
		return io.EOF
	}
	return f.into(m)
}
