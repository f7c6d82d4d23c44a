module github.com/kafka-metadata-probe/go_shim

go 1.26
