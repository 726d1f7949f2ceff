"""Tandem for partners: checkout URLs, verified postbacks, sales, revocations, vouchers."""

from ._async_client import AsyncTandem
from ._client import Tandem
from ._errors import (
    AuthenticationError,
    ConflictError,
    ConnectionFailedError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    TandemError,
    TimedOutError,
    ValidationError,
)
from ._handler import AsyncPostbackHandler, PostbackAnswer, PostbackHandler
from ._postback import PostbackKind, PostbackVerificationError, RefusalReason, VerifiedPostback, verify_postback
from ._settings import CallOptions, RequestInfo, ResponseInfo
from ._store import AsyncClaimedIds, AsyncHandledIds, ClaimedIds, HandledIds, MemoryStore
from ._version import VERSION as __version__

__all__ = [
    "AsyncClaimedIds",
    "AsyncHandledIds",
    "AsyncPostbackHandler",
    "AsyncTandem",
    "AuthenticationError",
    "CallOptions",
    "ClaimedIds",
    "ConflictError",
    "ConnectionFailedError",
    "HandledIds",
    "MemoryStore",
    "NotFoundError",
    "PermissionDeniedError",
    "PostbackAnswer",
    "PostbackHandler",
    "PostbackKind",
    "PostbackVerificationError",
    "RateLimitError",
    "RefusalReason",
    "RequestInfo",
    "ResponseInfo",
    "ServerError",
    "Tandem",
    "TandemError",
    "TimedOutError",
    "ValidationError",
    "VerifiedPostback",
    "__version__",
    "verify_postback",
]
