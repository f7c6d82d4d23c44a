package front

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// sockets returns both ends of a TCP connection, the server's first.
func sockets(t *testing.T) (*socket, net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	theirs, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	ours, err := newSocket(accepted)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	return ours, theirs
}

// TestASocketWritesAllToASlowReader, with more bytes than the kernel buffers.
func TestASocketWritesAllToASlowReader(t *testing.T) {
	ours, theirs := sockets(t)
	sent := bytes.Repeat([]byte("0123456789abcde"), 1<<20)
	written := make(chan error, 1)
	go func() {
		n, err := ours.Write(sent)
		if n != len(sent) {
			err = errors.Join(err, io.ErrShortWrite)
		}
		written <- err
	}()
	time.Sleep(50 * time.Millisecond)
	got := make([]byte, len(sent))
	if _, err := io.ReadFull(theirs, got); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%v", err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}

func TestASocketReportsItsEnd(t *testing.T) {
	ours, theirs := sockets(t)
	if _, err := theirs.Write([]byte("last")); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	if got, err := io.ReadAll(ours); string(got) != "last" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	waiting, _ := sockets(t)
	time.AfterFunc(50*time.Millisecond, func() { waiting.Close() })
	if _, err := waiting.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("read of a connection that is closed during the read: %v", err)
	}
}

func TestATickerTicksUntilItIsStopped(t *testing.T) {
	regular, err := newTicker(20 * time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for range 5 {
		if regular.wait() == 0 {
			t.Fatal("stopped")
		}
	}
	if took := time.Since(began); took < 99*time.Millisecond {
		t.Errorf("5 ticks of 20 ms in %v", took)
	}
	slow, err := newTicker(time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []*ticker{regular, slow} {
		time.AfterFunc(20*time.Millisecond, one.stop)
		for one.wait() > 0 { // ends only when it is stopped
		}
	}
}
