"""The producer, with transactions where the library has them (1.4 and later)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from confluent_kafka.clib import ON_DELIVERY, C
from confluent_kafka.errors import KafkaError, KafkaException, check_object
from confluent_kafka.handle import PRODUCER, Handle
from confluent_kafka.values import Message, TopicPartition, listed

COPY = 0x2
"""RD_KAFKA_MSG_F_COPY: the value may be freed once produce() returns."""
UNASSIGNED = -1
"""RD_KAFKA_PARTITION_UA: the partitioner chooses."""
NO_LIMIT = -1
OnDelivery = Callable[[KafkaError | None, Message], None]


class PlainProducer(Handle):
    """Produces to given partitions or by keys; poll() and flush() call every record's own function with its result."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._numbers = itertools.count(1)
        self._waiting: dict[int, OnDelivery] = {}
        super().__init__(PRODUCER, settings)

    def _add_callbacks(self, conf: int) -> None:
        self._kept.append(ON_DELIVERY(self._delivered))
        C.conf_set_dr_msg_cb(conf, self._kept[-1])

    def produce(
        self,
        topic: str,
        value: bytes,
        *,
        on_delivery: OnDelivery,
        partition: int = UNASSIGNED,
        key: bytes | None = None,
    ) -> None:
        """Produce a record; without a partition, the library chooses one by the key.

        Raises BufferError if the queue is full, else KafkaException.
        """
        number = next(self._numbers)
        self._waiting[number] = on_delivery
        # rd_kafka_producev() also creates a topic object for one call.
        made = C.topic_new(self._rk, topic.encode(), None)
        try:
            failed = not made or C.produce(made, partition, COPY, value, len(value), key, len(key or b""), number)
            code = C.last_error() if failed else 0
        finally:
            if made:
                C.topic_destroy(made)
        if not failed:
            return
        del self._waiting[number]
        if code == KafkaError._QUEUE_FULL:  # noqa: SLF001  # the library's name of a public constant
            raise BufferError(KafkaError(code).str())
        raise KafkaException(KafkaError(code))

    def poll(self, timeout: float) -> int:
        """Serve callbacks for at most `timeout` seconds; return their number."""
        return int(C.poll(self._rk, int(timeout * 1000)))

    def flush(self, timeout: float) -> int:
        """Wait at most `timeout` seconds until all records are delivered or failed; return how many are left."""
        C.flush(self._rk, int(timeout * 1000))
        return len(self._waiting)

    def _delivered(self, _rk: int, raw: Any, _: int) -> None:
        message = Message(raw.contents)
        if callback := self._waiting.pop(raw.contents.private, None):
            callback(message.error(), message)


class TransactionalProducer(PlainProducer):
    """Every call raises KafkaException, whose error states whether to repeat the call, to abort or to give up."""

    def init_transactions(self) -> None:
        """Get a producer id, fencing off other producers."""
        check_object(C.init_transactions(self._rk, NO_LIMIT))

    def begin_transaction(self) -> None:
        """Begin a transaction."""
        check_object(C.begin_transaction(self._rk))

    def send_offsets_to_transaction(self, offsets: Sequence[TopicPartition], group: str) -> None:
        """Commit offsets of a group, of which this is no member, as part of the transaction."""
        members = C.consumer_group_metadata_new(group.encode())
        try:
            with listed(offsets) as wanted:
                check_object(C.send_offsets_to_transaction(self._rk, wanted, members, NO_LIMIT))
        finally:
            C.consumer_group_metadata_destroy(members)

    def commit_transaction(self) -> None:
        """Commit the transaction, once all of its records are delivered."""
        check_object(C.commit_transaction(self._rk, NO_LIMIT))

    def abort_transaction(self) -> None:
        """Abort the transaction."""
        check_object(C.abort_transaction(self._rk, NO_LIMIT))


Producer = TransactionalProducer if hasattr(C, "init_transactions") else PlainProducer
