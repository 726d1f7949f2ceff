"""Stores of the postbacks that were handled, so that a repeated postback changes nothing."""
from __future__ import annotations

import threading
import time
from typing import Dict, Literal, Protocol, Tuple, Union

_LONGEST_CLAIM_SECONDS = 60


class HandledIds(Protocol):
    """A store in the same database as the sales. ``on_sale`` inserts ``verified.id`` under a unique key, in the transaction that books the
    sale. ``on_sale_closed`` inserts the id in the transaction that notes the closure."""

    def is_handled(self, webhook_id: str, /) -> bool: ...


class ClaimedIds(Protocol):
    """A store that is separate from the sales."""

    def claim(self, webhook_id: str, /) -> Union[bool, Literal["busy"]]:
        """Claims an id. Returns False only if ``done`` was called for the id. Returns ``"busy"`` while another request holds a claim,
        for at most 60 s after that claim. Returns True in all other cases.

        Must be atomic: of two simultaneous claims, only one returns True.
        """

    def done(self, webhook_id: str, /) -> None:
        """Reports that the postback is handled: the sale is booked, or the closure is noted."""

    def release(self, webhook_id: str, /) -> None:
        """Reports that ``on_sale`` or ``on_sale_closed`` failed. The next attempt may then claim the id again, except if ``done`` was
        called meanwhile.

        Give both functions a time limit below 60 s: after 60 s, another request may have claimed the id. A store that does not
        distinguish claims would then remove the claim of that request, and a third request could be handled at the same time.
        """


class AsyncHandledIds(Protocol):
    async def is_handled(self, webhook_id: str, /) -> bool: ...


class AsyncClaimedIds(Protocol):
    async def claim(self, webhook_id: str, /) -> Union[bool, Literal["busy"]]: ...

    async def done(self, webhook_id: str, /) -> None: ...

    async def release(self, webhook_id: str, /) -> None: ...


class MemoryStore:
    """Remembers ids in memory, for one process and for tests. A restart loses the ids, so a real shop stores them in its database.

    capacity: how many ids are kept; the oldest is forgotten first.
    """

    def __init__(self, capacity: int = 100_000) -> None:
        self._capacity = capacity
        #: The state of each id: None when the postback is handled. Otherwise, the time of the last claim, and how many requests have claimed
        #: the id and have not reported a result yet. All of these claims except the last have expired; the last may have expired too.
        self._states: Dict[str, Union[Tuple[float, int], None]] = {}
        self._lock = threading.Lock()

    def claim(self, webhook_id: str) -> Union[bool, Literal["busy"]]:
        with self._lock:
            now = time.monotonic()
            state = self._states.get(webhook_id, (-_LONGEST_CLAIM_SECONDS - 1 + now, 0))
            if state is None:
                return False
            claimed, holders = state
            # A handler that hangs must not keep the id forever.
            if now - claimed < _LONGEST_CLAIM_SECONDS:
                return "busy"
            self._states[webhook_id] = (now, holders + 1)
            if len(self._states) > self._capacity:
                del self._states[next(iter(self._states))]
            return True

    def done(self, webhook_id: str) -> None:
        with self._lock:
            self._states[webhook_id] = None

    def release(self, webhook_id: str) -> None:
        with self._lock:
            # Another request may have booked the sale after this claim had expired.
            state = self._states.get(webhook_id)
            if state is None:
                return
            # Several requests may have claimed the id and have no result yet. It is unknown which of them releases its claim, so the last
            # claim is kept until all of them have released theirs, or until it expires.
            claimed, holders = state
            if holders > 1:
                self._states[webhook_id] = (claimed, holders - 1)
            else:
                del self._states[webhook_id]
