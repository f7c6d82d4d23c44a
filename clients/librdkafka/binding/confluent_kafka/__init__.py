"""librdkafka by ctypes, behind the part of confluent-kafka's public interface that the driver uses.

Replaces the confluent_kafka package of releases whose extension module this Python cannot load (`cimpl` is built for
one CPython each). Only the C library of the release runs, none of its Python code. The calls are those of the extension
module (src/*.c of confluent-kafka-python); poll() serves callbacks, as there.
"""

from confluent_kafka.clib import LIBRARY
from confluent_kafka.consumer import Consumer
from confluent_kafka.errors import KafkaError, KafkaException
from confluent_kafka.producer import Producer
from confluent_kafka.values import OFFSET_BEGINNING, Message, TopicPartition

__all__ = [
    "LIBRARY",
    "OFFSET_BEGINNING",
    "Consumer",
    "KafkaError",
    "KafkaException",
    "Message",
    "Producer",
    "TopicPartition",
]
