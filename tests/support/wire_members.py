"""A member of the new group protocol in a transcript of the wire (`wire_script`)."""

from __future__ import annotations

from probe.model import Row
from probe.protocol import apis
from tests.support.wire_script import GROUP, OLD, TOPIC, Talk, WireScript

ROW = Row(topic=TOPIC, partition=0)


class Member:
    """A member of the new protocol, which heartbeats, reads and commits at one broker."""

    def __init__(self, script: WireScript, address: str = "10.0.0.7") -> None:
        self.script = script
        self.talk: Talk = script.client("orders-reader", address, api=apis.FETCH, version=17)
        self.talk.asks()

    def beats(self, sent: int, given: int = 0, *, code: int = 0, every_ms: float = 1000) -> None:
        asked = self.talk.request(apis.CONSUMER_GROUP_HEARTBEAT, OLD, Row(key=GROUP, epoch=sent))
        self.talk.answer(asked, Row(key=GROUP, code=code, epoch=None if code else given), code=code)
        self.script.wait(every_ms)

    def commits(self, code: int = 0) -> None:
        row = Row(topic=TOPIC, partition=0, key=GROUP)
        self.talk.answer(self.talk.request(apis.OFFSET_COMMIT, OLD, row), Row(topic=TOPIC, key=GROUP, code=code))

    def asks_offsets(self, code: int = 0) -> None:
        asked = self.talk.request(apis.OFFSET_FETCH, OLD, Row(key=GROUP))
        self.talk.answer(asked, Row(key=GROUP, code=code), code=code)
        self.script.wait(10)

    def reads(self) -> None:
        self.talk.answer(self.talk.request(apis.FETCH, OLD, ROW), Row(topic=TOPIC, partition=0, size=90))

    def works(self, seconds: int, epoch: int, *, commits: bool = True) -> None:
        for _ in range(seconds):
            self.reads()
            if commits:
                self.commits()
            self.beats(epoch, epoch)
