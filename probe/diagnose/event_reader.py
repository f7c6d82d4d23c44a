"""The events of one client, read one by one: signs of trouble and successes go to its objects (pure)."""

from __future__ import annotations

from probe.diagnose.answers import bad_items, is_step
from probe.diagnose.clients import ACTIVE_US, ITEMS, PENDING, ClientState, Link
from probe.diagnose.fetch_pattern import Reads
from probe.diagnose.heartbeats import note_commit, note_heartbeat, note_session, shown_by
from probe.diagnose.leaders import Leaders
from probe.diagnose.log_ins import let_in, session_over
from probe.diagnose.objects import CLUSTER, LISTENER, LOG_IN, WORK, Item, Kind, asked_for, work_on
from probe.diagnose.observation import Connection
from probe.diagnose.proofs import FETCHES, is_bad
from probe.diagnose.share_sessions import carries_shares
from probe.diagnose.troubles import Sign
from probe.model import Closed, Folded, Opened, Request, Response, Row
from probe.protocol import apis
from probe.verdict.apis import DISCOVERY, HANDSHAKE


class Reader:
    """Reads the events of one client; signs and successes go to its objects."""

    def __init__(self, client: ClientState, leaders: Leaders) -> None:
        self.client = client
        self._leaders = leaders

    def opened(self, event: Opened) -> None:
        """Note a connection that was opened."""
        client = self.client
        beside = sum(link.broker == event.broker for link in client.links.values())
        client.links[event.conn] = Link(broker=event.broker)
        client.opened += 1
        client.most_connects = max(client.most_connects, client.bursts.add(event.broker, event.at) - beside)
        client.closed = False
        client.kept.add(event)

    def request(self, event: Request) -> bool:
        """Note a request. Return whether an answer is due."""
        client = self.client
        client.kept.add(event)
        client.requests += 1
        client.bytes += event.size
        client.last_request = event.at
        client.note(event)
        link = client.links.get(event.conn)
        if link is not None and event.api in apis.SASL_APIS:
            link.log_in, link.served = event.at, False
        items = dict.fromkeys(work_on(event.api, event.rows)) if event.api in WORK else {}
        client.carry(event, items.keys())
        note_heartbeat(client, event, items)
        for item in items:
            if (state := client.state(item)) is None:
                continue
            state.requests += 1
            state.last_request = event.at
            client.handle(event, item, state)
            if (found := state.trouble) is not None:
                found.futile += 1
                found.way.attempt(found.api, event.api, event.at)
                found.futile_bytes += event.size / len(items)
            if event.acks == 0:
                state.unanswerable = True
        return event.acks != 0 and event.api >= 0 and self._awaits(event)

    def _awaits(self, event: Request) -> bool:
        """Keep a request until its answer comes."""
        client = self.client
        if len(client.pending) >= PENDING:
            client.pending.pop(next(iter(client.pending)))
        client.pending[event.conn, event.corr] = event
        return True

    def response(self, event: Response) -> None:
        """Read an answer."""
        client = self.client
        client.kept.add(event)
        request = client.pending.pop((event.conn, event.corr), None)
        if (link := client.links.get(event.conn)) is not None:
            link.answered = True
            let_in(client, link, event)
        if event.error:
            return
        if event.api in WORK:
            self._worked(event, request)
        elif event.api in DISCOVERY:
            self._learned(event)
        elif event.api in apis.SASL_APIS:
            self._logged_in(event, link)
        elif event.api in HANDSHAKE and event.api != apis.API_VERSIONS and is_bad(event.api, event.code):
            self._sign(CLUSTER, Sign.ERROR, event.at, event.broker, api=event.api, code=event.code)

    def folded(self, event: Folded) -> None:
        """Count frames of a storm."""
        client = self.client
        client.kept.add(event)
        client.requests += event.requests
        client.bytes += event.bytes
        client.last_request = max(client.last_request, event.until)
        if event.api not in WORK:
            return
        said = {item: row.code for row in event.rows if row.code for item in work_on(event.api, (row,))}
        bad = {item: code for item, code in said.items() if is_bad(event.api, code)}
        for item in dict.fromkeys(work_on(event.api, event.rows)):
            if (state := client.state(item)) is None:
                continue
            state.requests += event.requests
            if item in bad:
                self._sign(item, Sign.ERROR, event.until, event.broker, api=event.api, code=bad[item],
                           weight=max(event.responses, 1))  # fmt: skip
                if state.trouble is not None:
                    state.trouble.futile += event.requests
                    state.trouble.futile_bytes += event.bytes * event.requests / (event.requests + event.responses or 1)
            else:
                state.add_success(
                    event.at, event.until, event.broker, event.api, event.responses,
                    question=client.question(item),
                )  # fmt: skip

    def end(self, event: Closed, connection: Connection | None = None) -> None:
        """Note a connection that ended; `connection` has what its beginning shows."""
        client = self.client
        client.kept.add(event)
        link = client.links.pop(event.conn, None)
        lost = [key for key in client.pending if key[0] == event.conn]
        waiting = [client.pending.pop(key) for key in lost]
        if connection is not None and connection.mismatch is not None:
            self._sign(LISTENER, Sign.CUT, event.at, event.broker)
            client.items[LISTENER].mismatch = connection.mismatch
            return
        if event.by == "client":
            client.closed = not client.links
            self._left(link, event.at)
            return
        if link is not None and link.refused:
            return  # the refused log-in is the sign
        client.expired += session_over(link, connection, event.at)
        hit = {item for request in waiting for item in work_on(request.api, request.rows)}
        if link is not None:
            idle = carries_shares(link.sides)  # an application that is busy with a record asks for no other one
            recent = {item for item, at in link.work.items() if event.at - at <= ACTIVE_US}
            hit |= {item for item in recent if not (idle and item.kind is Kind.PARTITION)}
        if not hit and link is not None and link.log_in and not link.served:
            hit = {LOG_IN}
        if not hit and (waiting or (link is not None and not link.answered)):
            hit = {CLUSTER}
        for item in sorted(hit):
            self._sign(item, Sign.CUT, event.at, event.broker)

    def _left(self, link: Link | None, at: int) -> None:
        """Note that the client itself ended a connection, as it does when its patience is over."""
        for item in self.client.troubled & (link.work.keys() if link is not None else set()):
            if (found := self.client.items[item].trouble) is not None:
                found.way.forced_at = at

    def silent(self, request: Request, at: int) -> None:
        """Note a request that is unanswered for as long as none should be."""
        for item in sorted(set(work_on(request.api, request.rows))) or [CLUSTER]:
            self._sign(item, Sign.SILENCE, at, request.broker, api=request.api)

    def _logged_in(self, event: Response, link: Link | None) -> None:
        """Read an answer to a log-in. One without an error is no success: others may follow, and refuse it."""
        if link is not None:
            link.refused = bool(event.code)
        if event.code:
            self._sign(LOG_IN, Sign.ERROR, event.at, event.broker, api=event.api, code=event.code)

    def _worked(self, event: Response, request: Request | None) -> None:
        asked, client = event.sent_at, self.client
        rows = request.rows if request is not None and request.rows else event.rows
        items = dict.fromkeys(work_on(event.api, rows))
        bad = bad_items(event, items)
        for item, code in bad.items():
            self._sign(item, Sign.ERROR, event.at, event.broker, api=event.api, code=code)
        note_session(client, event, request, items)
        coded, shows = event.code != 0 or any(row.code for row in event.rows), shown_by(client, event, request, items)
        for item in items:
            if item in bad or (state := client.state(item)) is None or (coded and is_step(event, item)):
                continue
            state.add_success(asked, event.at, event.broker, shows, question=client.question(item))
            if (found := state.trouble) is not None and request is not None and request.at > found.since:
                found.futile = max(0, found.futile - 1)
                found.futile_bytes = max(0, found.futile_bytes - request.size / len(items))
            if event.api == apis.FETCH:
                state.reads = state.reads or Reads(event.at, asked, event.conn, event.broker)
                state.reads.count += 1
                client.records_at = event.at if any(row.size for row in event.rows) else client.records_at
            note_commit(state, event)
            self._leaders.served(item, event.broker, read=event.api in FETCHES)
            self._whole_topic(item, event)
        if not bad:
            self._reached(event)

    def _learned(self, event: Response) -> None:
        """Read who leads from an answer."""
        for row in event.rows:
            for item in asked_for(event.api, (row,)):
                self._excused(item, row, event.at)
                if is_bad(event.api, row.code):
                    self._refused(item, row.code, event)
                elif row.leader is not None and row.leader >= 0:
                    if item.kind is Kind.GROUP and len(self.client.coordinator_named) < ITEMS:
                        self.client.coordinator_named.setdefault(item, event.at)
                    self._leaders.named(item, row.leader, row.epoch, event.at)
                    self._whole_topic(item, event)
        if not any(is_bad(event.api, row.code) for row in event.rows) and not event.code:
            self._reached(event)

    def _excused(self, item: Item, row: Row, at: int) -> None:
        """Note an answer that names nobody who could serve the object, or the broker that refuses it."""
        state = self.client.items.get(item) if self.client.troubled else None
        if state is None or (found := state.trouble) is None:
            return
        if row.code or row.leader is None or row.leader in {-1, self._leaders.node_at(found.last_broker)}:
            found.way.excused_at = at

    def _refused(self, item: Item, code: int, event: Response) -> None:
        """Note that an answer names no leader. Partitions that the client does not work on say nothing of it."""
        if item in self.client.items or item.partition < 0:
            self._sign(item, Sign.ERROR, event.at, event.broker, api=event.api, code=code)

    def _whole_topic(self, item: Item, event: Response) -> None:
        """Note a success of a partition for its topic, if that was refused as a whole."""
        if self.client.troubled and item.partition >= 0:
            state = self.client.items.get(item._replace(partition=-1))
            if state is not None:
                state.add_success(event.sent_at, event.at, event.broker, event.api)

    def _reached(self, event: Response) -> None:
        """Note for the cluster as a whole that the client was answered well."""
        state = self.client.items.get(CLUSTER)
        if state is not None and state.trouble is not None:
            state.add_success(event.sent_at, event.at, event.broker, event.api)

    def _sign(
        self, item: Item, sign: Sign, at: int, broker: int, *, api: int = -1, code: int = 0, weight: float = 1
    ) -> None:
        client = self.client
        if (state := client.state(item)) is None:
            return
        if not client.troubled:
            client.kept.begin()
        client.troubled.add(item)
        state.add_sign(sign, at, broker, api=api, code=code, weight=weight)
