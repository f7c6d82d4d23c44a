"""librdkafka by ctypes, behind those names of confluent-kafka's public interface that the driver uses.

Stands in for the confluent_kafka package of releases whose extension module this Python cannot load (`cimpl` is built
for one CPython each). What runs is the C library of that release, and nothing of its Python part. Calls are the ones
that the extension module makes (src/*.c of confluent-kafka-python); callbacks are served by poll(), as there.
"""

from confluent_kafka.clib import LIBRARY, libversion
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
    "libversion",
]
