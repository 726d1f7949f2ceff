"""The errors of a call, and how an answer is converted to an error."""
from __future__ import annotations

import json
import re
import time
from email.utils import parsedate_to_datetime
from math import ceil
from typing import Any, Dict, List, Mapping, Optional, Type

from .types import FieldProblem


class TandemError(Exception):
    """A failure of a call. Let your program decide by the class or by ``code``, and show the text to people."""

    #: The HTTP status; None when no answer came.
    status: Optional[int]
    #: The platform's code, such as ``sale_not_revocable``, or a code of the SDK: ``connection_failed``, ``timed_out``,
    #: ``invalid_answer``, or ``unknown`` for an answer without a code.
    code: str
    #: Include this id when you report a problem to Tandem.
    request_id: Optional[str]
    #: After how many seconds the same request may succeed.
    retry_after_seconds: Optional[int]
    #: The refused fields, if any.
    errors: List[FieldProblem]

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        retry_after_seconds: Optional[int] = None,
        errors: Optional[List[FieldProblem]] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds
        self.errors = errors or []


class AuthenticationError(TandemError):
    """401: the token is missing, mistyped, expired or revoked."""


class PermissionDeniedError(TandemError):
    """403: the token lacks a scope, the call needs a test token, or the account is inactive or has the wrong kind of integration."""


class NotFoundError(TandemError):
    """404: the resource does not exist, or this token cannot see it."""


class ConflictError(TandemError):
    """409: the state of a sale, a promotion, a voucher group or the postback configuration does not allow the call, or an earlier
    creation of vouchers is still running."""


class ValidationError(TandemError):
    """400, 413, 414, 415, 422 and 431: the request is invalid and must be changed; ``errors`` names the refused fields, if any."""


class RateLimitError(TandemError):
    """429: too many requests were made."""


class ServerError(TandemError):
    """5xx, or a success whose body is not JSON: the platform failed, or a proxy in front of it answered."""


class ConnectionFailedError(TandemError):
    """No answer came: the connection was refused, failed, or ended early."""

    #: Whether the platform may have received the request. False when no connection was established.
    maybe_received: bool

    def __init__(self, message: str, *, maybe_received: bool) -> None:
        super().__init__(message, code="connection_failed")
        self.maybe_received = maybe_received


class TimedOutError(TandemError):
    """No answer came in time, or the platform did not receive the request in time (408). The request may have been carried out."""


_CLASSES: Dict[int, Type[TandemError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    408: TimedOutError,
    409: ConflictError,
    413: ValidationError,
    414: ValidationError,
    415: ValidationError,
    422: ValidationError,
    429: RateLimitError,
    431: ValidationError,
}


def error_of(status: int, headers: Mapping[str, str], content: bytes) -> TandemError:
    """Returns the error for an answer whose status is not a success."""
    problem = _problem_of(content)
    code = _text(problem.get("code")) or "unknown"
    detail = _text(problem.get("detail")) or "the answer does not come from the API"
    errors = problem.get("errors")
    kind = ServerError if status >= 500 else _CLASSES.get(status, TandemError)
    return kind(
        f"{status} {code}: {detail}",
        status=status,
        code=code,
        request_id=_text(problem.get("requestId")) or headers.get("x-request-id"),
        retry_after_seconds=_seconds_of(headers.get("retry-after")),
        errors=errors if isinstance(errors, list) else [],
    )


def _problem_of(content: bytes) -> Dict[str, Any]:
    """Returns the fields of the answer; no fields if the answer is not a JSON object, such as the HTML page of a proxy."""
    try:
        body = json.loads(content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _text(value: object) -> Optional[str]:
    return value if isinstance(value, str) else None


def _seconds_of(header: Optional[str]) -> Optional[int]:
    """Reads ``Retry-After``: a number of seconds, or a date if a proxy set it."""
    if header is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", header):
        return int(header)
    try:
        return max(0, ceil(parsedate_to_datetime(header).timestamp() - time.time()))
    except (TypeError, ValueError):
        return None
