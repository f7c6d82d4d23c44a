"""The consumer: assigned or subscribed, with explicit commits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from confluent_kafka.clib import ON_PARTITIONS, C
from confluent_kafka.errors import KafkaError, KafkaException, check, check_object
from confluent_kafka.handle import CONSUMER, Handle
from confluent_kafka.values import Message, TopicPartition, listed, read

OnChange = Callable[["Consumer", list[TopicPartition]], object]


def _nothing(_: Consumer, partitions: list[TopicPartition]) -> None:
    """Ignore a change without a callback."""


class Consumer(Handle):
    """One consumer; every callback is served by poll() and close()."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._on_commit: Callable[[KafkaError | None, list[TopicPartition]], None] | None = settings.get("on_commit")
        self._on_assign: OnChange = _nothing
        self._on_revoke: OnChange = _nothing
        self._on_lost: OnChange = _nothing
        self._commit_cb = ON_PARTITIONS(self._committed)
        self._group = str(settings.get("group.id", ""))
        super().__init__(CONSUMER, settings)
        check(C.poll_set_consumer(self._rk))
        # Kept to the end: 0.11.4 stops serving the queue when a handle on it is destroyed.
        self._queue = C.queue_get_consumer(self._rk)

    def _add_callbacks(self, conf: int) -> None:
        self._kept.append(ON_PARTITIONS(self._rebalance))
        C.conf_set_rebalance_cb(conf, self._kept[-1])

    def consumer_group_metadata(self) -> str:
        """Return what `Producer.send_offsets_to_transaction` takes."""
        return self._group

    def assign(self, partitions: Sequence[TopicPartition]) -> None:
        """Consume these partitions, from the offsets that they carry."""
        with listed(partitions) as wanted:
            check(C.assign(self._rk, wanted))

    def subscribe(self, topics: Sequence[str], *, on_assign: OnChange, on_revoke: OnChange, on_lost: OnChange) -> None:
        """Join a group; `on_lost` is called in versions that distinguish lost partitions (1.6 and later)."""
        self._on_assign, self._on_revoke, self._on_lost = on_assign, on_revoke, on_lost
        with listed([TopicPartition(topic) for topic in topics]) as wanted:
            check(C.subscribe(self._rk, wanted))

    def poll(self, timeout: float) -> Message | None:
        """Return the next record or error; None after `timeout` seconds."""
        raw = C.consumer_poll(self._rk, int(timeout * 1000))
        if not raw:
            return None
        try:
            return Message(raw.contents)
        finally:
            C.message_destroy(raw)

    def commit(self, *, offsets: Sequence[TopicPartition], asynchronous: bool) -> list[TopicPartition] | None:
        """Commit; the result goes to `on_commit`, or is returned if not asynchronous."""
        with listed(offsets) as wanted:
            if not asynchronous:
                return self._commit_now(wanted)
            check(C.commit_queue(self._rk, wanted, self._queue, self._commit_cb, None))
            return None

    def _commit_now(self, wanted: Any) -> list[TopicPartition]:
        results: list[tuple[int, list[TopicPartition]]] = []
        note = ON_PARTITIONS(lambda _rk, code, found, _: results.append((code, read(found))))
        check(C.commit_queue(self._rk, wanted, None, note, None))  # no queue: `note` is called before it returns
        for code, _ in results:
            check(code)
        return [item for _, items in results for item in items]

    def close(self) -> None:
        """Leave the group and end."""
        C.consumer_close(self._rk)
        self._destroy()

    def _destroy(self) -> None:
        queue, self._queue = getattr(self, "_queue", 0), 0  # none if it could not be made
        if queue:
            C.queue_destroy(queue)
        super()._destroy()

    def _committed(self, _rk: int, code: int, found: Any, _: int) -> None:
        if self._on_commit is not None:
            self._on_commit(KafkaError(code) if code else None, read(found))

    def _rebalance(self, rk: int, code: int, found: Any, _: int) -> None:
        assigns = code == KafkaError._ASSIGN_PARTITIONS  # noqa: SLF001  # the library's name of a public constant
        lost = not assigns and hasattr(C, "assignment_lost") and C.assignment_lost(rk)
        callback = self._on_assign if assigns else self._on_lost if lost else self._on_revoke
        callback(self, read(found))
        try:
            _apply(rk, found, assigns=assigns)
        except KafkaException as error:
            self._error(rk, error.args[0].code(), error.args[0].str().encode(), 0)


def _apply(rk: int, found: Any, *, assigns: bool) -> None:
    """Apply an announced change: the callback replaces librdkafka's own handling."""
    if hasattr(C, "rebalance_protocol") and C.rebalance_protocol(rk) == b"COOPERATIVE":
        check_object((C.incremental_assign if assigns else C.incremental_unassign)(rk, found))
    else:
        check(C.assign(rk, found if assigns else None))
