"""Decides when a request is sent again, and how long to wait before that."""
from __future__ import annotations

import asyncio
import random
import time
from typing import Optional

from ._errors import ConflictError, ConnectionFailedError, RateLimitError, ServerError, TandemError, TimedOutError

_FIRST_BACKOFF_SECONDS = 0.5
_MAX_BACKOFF_SECONDS = 8.0
_IN_PROGRESS = ("creation_in_progress", "idempotency_in_progress")
#: Statuses of a temporary failure. A 500 is a bug: the same request would fail again.
_PASSING = (502, 503, 504)


class Pace:
    """How a client reads the clock and waits. Tests of the client replace this class."""

    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def sleep_async(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def wait_before_retry(error: TandemError, always: bool, attempt: int) -> Optional[float]:
    """Returns the seconds to wait before the next attempt, or None when the request must not be repeated.

    The wait is the time of ``Retry-After``, if any, plus a random part ("full jitter"), so that clients that failed together do not
    retry together.

    always: true for reads, and for writes whose repeats the platform recognizes. Other writes are repeated only if no connection was established.
    attempt: the number of the failed attempt, from 1.
    """
    unsent = isinstance(error, ConnectionFailedError) and not error.maybe_received
    if not unsent and not (always and _passes(error)):
        return None
    asked = error.retry_after_seconds
    if asked is None:
        asked = 1 if isinstance(error, ConflictError) else 0
    return asked + random.random() * min(_MAX_BACKOFF_SECONDS, _FIRST_BACKOFF_SECONDS * 2.0 ** (attempt - 1))


def _passes(error: TandemError) -> bool:
    if isinstance(error, ConflictError):
        return error.code in _IN_PROGRESS
    if isinstance(error, ServerError):
        return error.status in _PASSING
    return isinstance(error, (RateLimitError, ConnectionFailedError, TimedOutError))
