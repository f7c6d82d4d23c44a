#!/usr/bin/env bash
# sarama 1.46.3 tells the broker the application's version as its own; since 1.47.0 it tells its own.
#
# KIP-511 lets a client name its software in ApiVersions v3. sarama before 1.47.0 takes the version of the main module
# of the program's build information, so an application that is built from a commit tagged v1.61.1 looks like
# sarama 1.61.1 in the broker's request log and connection metrics. Go stamps that version from the repository's tag
# since 1.24. An inventory made from brokers' metrics cannot trust it.
#
# Seen 2026-11-27 with Go 1.26, an application tagged v1.61.1:
#   sarama 1.46.3: ApiVersions v3 reports sarama v1.61.1
#   sarama 1.47.0: ApiVersions v3 reports sarama v1.47.0
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > main.go <<'GO'
package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/IBM/sarama"
)

// Prints the client software that the first request of a connection names.
func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	frames := make(chan []byte, 1)
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			panic(err)
		}
		defer connection.Close()
		size := make([]byte, 4)
		if _, err := io.ReadFull(connection, size); err != nil {
			panic(err)
		}
		frame := make([]byte, binary.BigEndian.Uint32(size))
		if _, err := io.ReadFull(connection, frame); err != nil {
			panic(err)
		}
		frames <- frame
	}()
	config := sarama.NewConfig()
	config.Version = sarama.V2_8_0_0
	config.Metadata.Retry.Max = 0
	go func() { _, _ = sarama.NewClient([]string{listener.Addr().String()}, config) }()
	select {
	case frame := <-frames:
		version := binary.BigEndian.Uint16(frame[2:])
		rest := frame[8:]
		rest = rest[2+int(binary.BigEndian.Uint16(rest))+1:] // client id, tagged fields
		name := rest[1:rest[0]]
		rest = rest[rest[0]:]
		fmt.Printf("ApiVersions v%d reports %s %s\n", version, name, rest[1:rest[0]])
	case <-time.After(10 * time.Second):
		fmt.Println("no request within 10 s")
	}
}
GO
printf 'application\n' > .gitignore

reported() {
    rm -rf .git go.mod go.sum application
    go mod init example.com/orders && go get "github.com/IBM/sarama@v$1" && go mod tidy
    git init -q . && git add -A
    git -c user.name=someone -c user.email=someone@example.com commit -qm 'An application'
    git tag v1.61.1
    go build -buildvcs=true -o application .
} > log 2>&1

seen=''
for version in 1.46.3 1.47.0; do
    reported "$version" || { tail -n 3 log >&2; exit 1; }
    seen="${seen}sarama $version: $(timeout 30 ./application)
"
done
printf '%s' "$seen"
expected='sarama 1.46.3: ApiVersions v3 reports sarama v1.61.1
sarama 1.47.0: ApiVersions v3 reports sarama v1.47.0
'
if [ "$seen" != "$expected" ]; then
    printf 'changed: expected\n%s' "$expected" >&2
    exit 1
fi
