// Command wire is client and broker of the relay benchmark: a broker that answers every Produce request, and clients
// that wait for the answer before the next request.
//
//	wire serve MS                   listens on loopback, prints its address, ends with its standard input; answers after MS
//	wire load ADDRESS CONNS S RATE [AUTHORITY]
//
// The load runs S seconds; RATE requests per second and connection, 0 = without pauses; by TLS with the certificate of
// an authority (a PEM file), which is trusted.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

const valueBytes = 100

func main() {
	var err error
	switch {
	case len(os.Args) == 3 && os.Args[1] == "serve":
		err = serve(time.Duration(number(os.Args[2])) * time.Millisecond)
	case (len(os.Args) == 6 || len(os.Args) == 7) && os.Args[1] == "load":
		var dial dialer
		if dial, err = dialing(os.Args[6:]); err == nil {
			err = load(dial, os.Args[2], number(os.Args[3]), number(os.Args[4]), number(os.Args[5]))
		}
	default:
		err = fmt.Errorf("usage: wire serve MS | wire load ADDRESS CONNS SECONDS RATE")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "wire:", err)
		os.Exit(1)
	}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		fmt.Fprintf(os.Stderr, "wire: %q is no number\n", text)
		os.Exit(2)
	}
	return n
}

func serve(work time.Duration) error {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go answer(conn, work)
		}
	}()
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func answer(conn net.Conn, work time.Duration) {
	defer conn.Close()
	for {
		frame, err := read(conn)
		if err != nil || len(frame) < 8 {
			return
		}
		time.Sleep(work)
		if _, err := conn.Write(framed(append(frame[4:8:8], produced()...))); err != nil {
			return
		}
	}
}

// produced is the body of a Produce v7 response: one topic, one partition, no error.
func produced() []byte {
	out := binary.BigEndian.AppendUint32(nil, 1)
	out = text(out, "benchmark")
	out = binary.BigEndian.AppendUint32(out, 1)
	out = append(out, make([]byte, 4+2+8+8+8+4)...)
	return out
}

// produce is a Produce v7 request with one batch, whose content the relay does not read.
func produce(correlation uint32) []byte {
	out := binary.BigEndian.AppendUint16(nil, 0)
	out = binary.BigEndian.AppendUint16(out, 7)
	out = binary.BigEndian.AppendUint32(out, correlation)
	out = text(out, "load")
	out = binary.BigEndian.AppendUint16(out, 0xffff) // no transactional id
	out = binary.BigEndian.AppendUint16(out, 0xffff) // acks=all
	out = binary.BigEndian.AppendUint32(out, 1000)
	out = binary.BigEndian.AppendUint32(out, 1)
	out = text(out, "benchmark")
	out = binary.BigEndian.AppendUint32(out, 1)
	out = binary.BigEndian.AppendUint32(out, 0)
	out = binary.BigEndian.AppendUint32(out, valueBytes)
	return framed(append(out, make([]byte, valueBytes)...))
}

type dialer func(address string) (net.Conn, error)

// dialing returns how connections are made: by TLS if a file with an authority is named.
func dialing(authority []string) (dialer, error) {
	if len(authority) == 0 {
		return func(address string) (net.Conn, error) { return net.Dial("tcp4", address) }, nil
	}
	pem, err := os.ReadFile(authority[0])
	trusted := x509.NewCertPool()
	if err == nil && !trusted.AppendCertsFromPEM(pem) {
		err = fmt.Errorf("%s has no certificate", authority[0])
	}
	settings := &tls.Config{RootCAs: trusted, ServerName: "localhost"}
	return func(address string) (net.Conn, error) { return tls.Dial("tcp4", address, settings) }, err
}

func load(dial dialer, address string, conns, seconds, rate int) error {
	var mu sync.Mutex
	var waits []time.Duration
	var failed error
	var group sync.WaitGroup
	begun := time.Now()
	for range conns {
		group.Go(func() {
			mine, err := ask(dial, address, begun.Add(time.Duration(seconds)*time.Second), rate)
			mu.Lock()
			defer mu.Unlock()
			waits = append(waits, mine...)
			if err != nil {
				failed = err
			}
		})
	}
	group.Wait()
	if failed != nil || len(waits) == 0 {
		return fmt.Errorf("%d answers, then: %w", len(waits), failed)
	}
	slices.Sort(waits)
	return json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"p50_us":         float64(waits[len(waits)/2].Nanoseconds()) / 1000,
		"requests_per_s": float64(len(waits)) / time.Since(begun).Seconds(),
	})
}

func ask(dial dialer, address string, until time.Time, rate int) ([]time.Duration, error) {
	conn, err := dial(address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	var waits []time.Duration
	for n := uint32(1); time.Now().Before(until); n++ {
		request, sent := produce(n), time.Now()
		if _, err := conn.Write(request); err != nil {
			return waits, err
		}
		frame, err := read(conn)
		if err != nil {
			return waits, err
		}
		if got := binary.BigEndian.Uint32(frame); got != n {
			return waits, fmt.Errorf("an answer to %d, not to %d", got, n)
		}
		waits = append(waits, time.Since(sent))
		if rate > 0 {
			time.Sleep(time.Second/time.Duration(rate) - time.Since(sent))
		}
	}
	return waits, nil
}

func read(conn net.Conn) ([]byte, error) {
	var prefix [4]byte
	if _, err := io.ReadFull(conn, prefix[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(prefix[:]))
	_, err := io.ReadFull(conn, frame)
	return frame, err
}

func framed(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func text(out []byte, value string) []byte {
	return append(binary.BigEndian.AppendUint16(out, uint16(len(value))), value...)
}
