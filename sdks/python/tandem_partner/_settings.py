"""The options of a client and of a call."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable, Optional


@dataclass(frozen=True)
class RequestInfo:
    """A request that is about to be sent. It does not contain the token."""

    method: str
    url: str
    #: 1 for the first attempt, higher for retries.
    attempt: int


@dataclass(frozen=True)
class ResponseInfo(RequestInfo):
    """The outcome of a request."""

    duration_seconds: float
    #: None when no answer came.
    status: Optional[int] = None
    request_id: Optional[str] = None
    #: Why no answer came.
    error: Optional[Exception] = None


@dataclass(frozen=True)
class CallOptions:
    """Options of a single call. None: the option of the client applies."""

    #: Your own id for the platform's logs: 1–128 letters, digits, ``.``, ``_``, ``-``.
    request_id: Optional[str] = None
    timeout: Optional[float] = None
    deadline: Optional[float] = None
    max_retries: Optional[int] = None


def check_limits(timeout: float, deadline: float, max_retries: int) -> None:
    if not timeout > 0 or not deadline > 0:
        raise ValueError("timeout and deadline must be more than 0")
    if not isinstance(max_retries, int) or max_retries < 0:
        raise ValueError("max_retries must be a whole number that is not negative")


@dataclass(frozen=True)
class Settings:
    """The checked options of a client."""

    token: str
    base_url: str
    timeout: float
    deadline: float
    max_retries: int
    on_request: Optional[Callable[[RequestInfo], None]]
    on_response: Optional[Callable[[ResponseInfo], None]]

    def __post_init__(self) -> None:
        if not self.token:
            raise ValueError("token is empty: is its variable set?")
        if not isinstance(self.token, str) or not re.fullmatch(r"[\x21-\x7e]+", self.token):
            raise ValueError("token must be a partner token, such as ptk_live_…, without spaces")
        if not isinstance(self.base_url, str) or not re.fullmatch(r"https?://[^/?#\s@\x00-\x1f\x7f-\x9f]+/*", self.base_url):
            raise ValueError("base_url must be a scheme and a host, such as https://api.example.com")
        check_limits(self.timeout, self.deadline, self.max_retries)
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))

    def __repr__(self) -> str:
        return f"Settings(base_url={self.base_url!r})"  # without the token
