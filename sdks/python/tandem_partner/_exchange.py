"""The code that both clients share for a call and its attempts."""
from __future__ import annotations

import json
from typing import Any, Dict, Optional, Union

import httpx

from ._calls import Call
from ._errors import ConnectionFailedError, ServerError, TandemError, TimedOutError, error_of
from ._retries import Pace, wait_before_retry
from ._settings import CallOptions, RequestInfo, ResponseInfo, Settings, check_limits
from ._version import VERSION

#: The longest timeout that sockets accept, in seconds.
_LONGEST_TIMEOUT = 2_147_483.0


class Exchange:
    """One call. A client sends ``request()`` and passes the answer or the error to ``wait_after()``. It repeats both steps until
    ``wait_after()`` returns None."""

    def __init__(self, call: Call, settings: Settings, pace: Pace, options: Optional[CallOptions]) -> None:
        self._call = call
        self._settings = settings
        self._pace = pace
        self._options = options or CallOptions()
        self._url = call.url(settings.base_url)
        given = self._options
        self._timeout = settings.timeout if given.timeout is None else given.timeout
        self._retries = settings.max_retries if given.max_retries is None else given.max_retries
        deadline = settings.deadline if given.deadline is None else given.deadline
        check_limits(self._timeout, deadline, self._retries)
        self._deadline = pace.now() + deadline
        self._attempt = 0
        self._start = 0.0
        #: The body of the answer, when ``wait_after`` has returned None.
        self.value: Any = None

    def request(self) -> Dict[str, Any]:
        """Begins an attempt. Returns the arguments for httpx's ``request()``."""
        self._attempt += 1
        if self._settings.on_request:
            self._settings.on_request(RequestInfo(self._call.method, self._url, self._attempt))
        self._start = self._pace.now()
        headers = {
            "accept": "application/json",
            "authorization": f"Bearer {self._settings.token}",
            "user-agent": f"tandem-partner-python/{VERSION}",
            **self._call.headers,
        }
        if self._options.request_id is not None:
            headers["x-request-id"] = self._options.request_id
        content: Optional[bytes] = None
        if self._call.body is not None:
            headers["content-type"] = "application/json"
            content = json.dumps(self._call.body).encode()
        timeout = max(0.001, min(self._timeout, self._deadline - self._start, _LONGEST_TIMEOUT))
        # A redirect could send the token to another host, and the API never redirects.
        return {
            "method": self._call.method,
            "url": self._url,
            "headers": headers,
            "content": content,
            "timeout": timeout,
            "follow_redirects": False,
        }

    def wait_after(self, came: Union[httpx.Response, httpx.RequestError]) -> Optional[float]:
        """Ends an attempt. Returns the seconds until the next attempt, or None when ``value`` is the result. Raises the error of the last attempt."""
        error = self._read(came)
        if error is None:
            return None
        wait = wait_before_retry(error, self._call.always, self._attempt) if self._attempt <= self._retries else None
        # A wait that ends after the deadline would only delay the error.
        if wait is None or self._pace.now() + wait >= self._deadline:
            raise error from (came if isinstance(came, Exception) else None)
        return wait

    def _read(self, came: Union[httpx.Response, httpx.RequestError]) -> Optional[TandemError]:
        if isinstance(came, httpx.RequestError):
            error = _failure(came, self._settings.base_url)
            self._report(error=error)
            return error
        request_id = came.headers.get("x-request-id")
        self._report(status=came.status_code, request_id=request_id)
        if not 200 <= came.status_code <= 299:
            return error_of(came.status_code, came.headers, came.content)
        try:
            self.value = json.loads(came.content)
            return None
        except ValueError:
            text = f"{came.status_code}: the answer is not JSON"
            return ServerError(text, code="invalid_answer", status=came.status_code, request_id=request_id)

    def _report(
        self, status: Optional[int] = None, request_id: Optional[str] = None, error: Optional[Exception] = None
    ) -> None:
        if self._settings.on_response:
            duration = self._pace.now() - self._start
            self._settings.on_response(
                ResponseInfo(self._call.method, self._url, self._attempt, duration, status, request_id, error)
            )


def _failure(error: httpx.RequestError, base_url: str) -> TandemError:
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)):
        return ConnectionFailedError(f"no connection to {base_url}", maybe_received=False)
    if isinstance(error, httpx.TimeoutException):
        return TimedOutError("no answer in time", code="timed_out")
    return ConnectionFailedError(f"no answer from {base_url}", maybe_received=True)
