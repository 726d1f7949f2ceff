"""Verifies postbacks: https://www.standardwebhooks.com."""
from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import math
import re
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union, cast

from .types import Postback, SaleClosedNotice

#: Why a postback is refused. ``malformed_body``: the body is signed, but is no JSON object, or lacks fields of a sale or a notice.
RefusalReason = Literal[
    "authorization_mismatch",
    "missing_header",
    "malformed_header",
    "timestamp_too_old",
    "timestamp_too_new",
    "signature_mismatch",
    "malformed_body",
]

#: What the signed body is. ``other`` is an event that this version of the SDK does not know: answer 200.
PostbackKind = Literal["sale", "closure", "other"]

_SECRET = re.compile(r"whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?)")


class PostbackVerificationError(Exception):
    """The postback is refused for ``reason``: answer 401."""

    reason: RefusalReason

    def __init__(self, reason: RefusalReason) -> None:
        super().__init__(f"the postback is refused: {reason}")
        self.reason = reason


@dataclass(frozen=True)
class VerifiedPostback:
    #: ``webhook-id``: the same for every retry and replay. The notice of a closure has a different id from the postback of its sale.
    id: str
    #: The time at which this attempt was signed.
    timestamp: datetime
    kind: PostbackKind
    #: The body, whatever ``kind`` is. ``sale`` and ``closure`` return the body with its type.
    postback: Mapping[str, Any]
    #: Whether the postback is a sample that ``tandem.postback.test()`` or a manager requested. A sample reports no sale.
    is_sample: bool
    #: Whether the header ``X-Environment: test`` marks a test, for which nothing was paid. The header is not signed.
    is_test: bool

    @property
    def sale(self) -> Postback:
        """The body of a sale. Raises TypeError when ``kind`` is not ``sale``."""
        return cast(Postback, self._body_of("sale"))

    @property
    def closure(self) -> SaleClosedNotice:
        """The body of the notice of a closure. Raises TypeError when ``kind`` is not ``closure``."""
        return cast(SaleClosedNotice, self._body_of("closure"))

    def _body_of(self, kind: PostbackKind) -> Mapping[str, Any]:
        if self.kind != kind:
            raise TypeError(f"the postback is of the kind {self.kind}, not {kind}")
        return self.postback


def verify_postback(
    headers: Mapping[str, str],
    raw_body: Union[bytes, str],
    secrets: Union[str, Sequence[str]],
    *,
    authorization: Optional[str] = None,
    now: Optional[float] = None,
    tolerance_seconds: int = 300,
) -> VerifiedPostback:
    """Verifies HMAC-SHA-256 of ``id.timestamp.body``, compared in constant time.

    headers: any mapping; names are case-insensitive.
    raw_body: the body exactly as it was received: JSON that was parsed and serialized again may differ.
    secrets: ``whsec_…``. Pass two during a rotation: one of them must match.
    authorization: the whole header that you expect, such as ``Bearer <key>``. None: it is not compared.
    now: Unix seconds. Default: the current time.

    Raises PostbackVerificationError with the reason, and ValueError when a secret is not ``whsec_`` and base64 of 24 to 64 bytes, or
    there is no secret.
    """
    keys = keys_of(secrets)
    if authorization is not None and not _equal(_header(headers, "authorization") or "", authorization):
        raise PostbackVerificationError("authorization_mismatch")
    webhook_id = _required(headers, "webhook-id")
    seconds = _required(headers, "webhook-timestamp")
    signatures = _required(headers, "webhook-signature")
    if not re.fullmatch(r"[\x21-\x7e]{1,255}", webhook_id) or not re.fullmatch(r"[0-9]{1,12}", seconds):
        raise PostbackVerificationError("malformed_header")

    current = time.time() if now is None else now
    age = math.floor(current) - int(seconds) if math.isfinite(current) else math.nan
    # The conditions are written so that NaN is refused.
    if not age <= tolerance_seconds:
        raise PostbackVerificationError("timestamp_too_old")
    if not -age <= tolerance_seconds:
        raise PostbackVerificationError("timestamp_too_new")

    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    signed = f"{webhook_id}.{seconds}.".encode() + body
    received = [entry for entry in signatures.split(" ") if entry.startswith("v1,")]
    # Every secret is compared with every signature, even after a match, so that the duration does not reveal which of them
    # matched.
    matches = 0
    for key in keys:
        expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        for entry in received:
            matches += _equal(entry, expected)
    if matches == 0:
        raise PostbackVerificationError("signature_mismatch")
    kind, postback = _content_of(body)
    at = datetime.fromtimestamp(int(seconds), timezone.utc)
    is_sample = str(postback.get("oid")).startswith("test_")
    is_test = _header(headers, "x-environment") == "test"
    return VerifiedPostback(webhook_id, at, kind, postback, is_sample, is_test)


def _required(headers: Mapping[str, str], name: str) -> str:
    value = _header(headers, name)
    if not value:
        raise PostbackVerificationError("missing_header")
    return value


def _header(headers: Mapping[str, str], name: str) -> Optional[str]:
    values = [value for key, value in headers.items() if key.lower() == name]
    if len(values) > 1 or not all(isinstance(value, str) for value in values):
        raise PostbackVerificationError("malformed_header")
    return values[0] if values else None


def keys_of(secrets: Union[str, Sequence[Optional[str]], None]) -> List[bytes]:
    """Returns the keys of the secrets. Raises ValueError when a secret is wrong, or when there is no secret.

    A program without type checks can pass None: the value of an environment variable that is not set.
    """
    keys = [_key_of(secret) for secret in ([secrets] if secrets is None or isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("at least one signing secret is needed: is its variable set?")
    return keys


def _key_of(secret: Optional[str]) -> bytes:
    if not secret:
        raise ValueError("a signing secret is empty: is its variable set?")
    match = _SECRET.fullmatch(secret)
    text = match[1] if match else ""
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        key = b""
    if not 24 <= len(key) <= 64:
        raise ValueError("a signing secret is whsec_ followed by the base64 of 24 to 64 bytes")
    return key


def _equal(received: str, expected: str) -> bool:
    return hmac.compare_digest(received.encode("utf-8", "replace"), expected.encode())


def _content_of(body: bytes) -> Tuple[PostbackKind, Dict[str, Any]]:
    """Distinguishes sales and notices by the body alone, because the body is signed and ``X-Event`` is not."""
    try:
        postback = json.loads(body.decode())
    except (ValueError, RecursionError):
        postback = None
    if not isinstance(postback, dict):
        raise PostbackVerificationError("malformed_body")
    has_oid = isinstance(postback.get("oid"), str)
    if "event" not in postback and has_oid and isinstance(postback.get("items"), list):
        return "sale", postback
    if postback.get("event") == "sale.closed" and has_oid and isinstance(postback.get("status"), str):
        return "closure", postback
    if postback.get("event", "sale.closed") == "sale.closed":
        raise PostbackVerificationError("malformed_body")
    return "other", postback
