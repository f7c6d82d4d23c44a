//go:build confluent

package main

/*
#include <stdlib.h>

// Functions of the librdkafka that the wrapper links: its API has no effective settings, and no names of errors. They are
// weak, as this package does not link the library itself.
#define WEAK __attribute__((weak))
extern WEAK void *rd_kafka_conf_new(void);
extern WEAK void rd_kafka_conf_destroy(void *);
extern WEAK int rd_kafka_conf_set(void *, const char *, const char *, char *, size_t);
extern WEAK const char **rd_kafka_conf_dump(void *, size_t *);
extern WEAK void *rd_kafka_topic_conf_new(void);
extern WEAK void rd_kafka_topic_conf_destroy(void *);
extern WEAK int rd_kafka_topic_conf_set(void *, const char *, const char *, char *, size_t);
extern WEAK const char **rd_kafka_topic_conf_dump(void *, size_t *);
extern WEAK void rd_kafka_conf_dump_free(const char **, size_t);
extern WEAK const char *rd_kafka_err2name(int);
*/
import "C"

import (
	"errors"
	"unsafe"
)

const errorText = 512

// effective returns all settings of librdkafka with `set` applied to its defaults, those of topics included. The error is
// librdkafka's own, for a key or a value that it rejects.
func effective(set map[string]string) (map[string]string, error) {
	conf, topic := C.rd_kafka_conf_new(), C.rd_kafka_topic_conf_new()
	defer C.rd_kafka_conf_destroy(conf)
	defer C.rd_kafka_topic_conf_destroy(topic)
	why := (*C.char)(C.calloc(errorText, 1))
	defer C.free(unsafe.Pointer(why))
	for key, value := range set {
		name, text := C.CString(key), C.CString(value)
		refused := C.rd_kafka_conf_set(conf, name, text, why, errorText) != 0
		C.rd_kafka_topic_conf_set(topic, name, text, nil, 0) // it rejects what is no setting of topics
		C.free(unsafe.Pointer(name))
		C.free(unsafe.Pointer(text))
		if refused {
			return nil, errors.New(C.GoString(why))
		}
	}
	found := map[string]string{}
	var count C.size_t
	dumped(found, C.rd_kafka_topic_conf_dump(topic, &count), &count)
	dumped(found, C.rd_kafka_conf_dump(conf, &count), &count)
	return found, nil
}

// dumped adds pairs of a dump that have a value, and frees it.
func dumped(found map[string]string, dump **C.char, count *C.size_t) {
	defer C.rd_kafka_conf_dump_free(dump, *count)
	texts := unsafe.Slice(dump, int(*count))
	for at := 0; at+1 < len(texts); at += 2 {
		if value := C.GoString(texts[at+1]); value != "" {
			found[C.GoString(texts[at])] = value
		}
	}
}

// nameOf returns librdkafka's name of an error, such as _MSG_TIMED_OUT.
func nameOf(code int) string { return C.GoString(C.rd_kafka_err2name(C.int(code))) }
