"""The requests of the API. Both clients send them."""
from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Dict, Mapping, Optional, Union
from urllib.parse import quote, urlencode

#: A time: an aware datetime, or text in ISO 8601 with an offset.
Time = Union[datetime, str]

_MAX_COUNT = 500


@dataclass(frozen=True)
class Call:
    """A request to the API."""

    method: str
    #: The path after /api/v2/partner.
    path: str
    #: Whether the request may always be sent again: it is a read, or a write whose repeats the platform recognizes.
    always: bool
    query: Mapping[str, object] = field(default_factory=dict)
    body: Optional[Mapping[str, object]] = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def url(self, base_url: str) -> str:
        query = urlencode(_given(self.query))
        return f"{base_url}/api/v2/partner{self.path}{'?' if query else ''}{query}"


def read(path: str, **query: object) -> Call:
    return Call("GET", path, True, query)


def create_checkout_url(ref_id: Optional[str], plan: Optional[str], currency: Optional[str], locale: Optional[str]) -> Call:
    return read("/subscription/create-checkout-url", ref_id=ref_id, plan=plan, currency=currency, locale=locale)


def list_sales(
    status: Optional[str], ref_id: Optional[str], from_: Optional[Time], to: Optional[Time], limit: Optional[int]
) -> Call:
    return read("/sales", status=status, refId=ref_id, **{"from": time_text(from_)}, to=time_text(to), limit=limit)


def get_sale(oid: str) -> Call:
    return read(f"/sales/{_segment(oid)}")


def revoke_sale(oid: str, reason: Optional[str], note: Optional[str]) -> Call:
    body = _given({"subscriptionId": oid, "reason": reason, "note": note})
    return Call("PUT", "/subscription/revoke", True, body=body)


def get_statistics(from_: Optional[str], to: Optional[str], by: Optional[str], time_zone: Optional[str]) -> Call:
    return read("/statistics", **{"from": from_}, to=to, by=by, timeZone=time_zone)


def list_vouchers(group: str, status: Optional[str], limit: Optional[int]) -> Call:
    return read("/subscription/vouchers", voucherGroupId=group, status=status, limit=limit)


def create_vouchers(group: str, count: Optional[int], idempotency_key: Optional[str]) -> Call:
    # The platform creates only 10 codes when more than 500 are requested, so the client refuses such a request.
    if count is not None and not (isinstance(count, int) and 1 <= count <= _MAX_COUNT):
        raise ValueError(f"count must be a whole number from 1 to {_MAX_COUNT}")
    key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
    if not isinstance(key, str) or not re.fullmatch(r"[\x21-\x7e]{1,255}", key):
        raise ValueError("idempotency_key must be 1 to 255 visible ASCII characters")
    return Call(
        "POST",
        "/subscription/vouchers",
        True,
        body=_given({"voucherGroupId": group, "count": count}),
        headers={"idempotency-key": key},
    )


def save_postback(url: str, auth_method: str, key: Optional[str], notify_closures: Optional[bool]) -> Call:
    fields = {"url": url, "authMethod": auth_method, "key": key, "notifyClosures": notify_closures}
    return _write("/postback", _given(fields))


def rotate_secret() -> Call:
    return _write("/postback/signing-secret")


def test_postback() -> Call:
    return _write("/postback/test")


def listen(cursor: Optional[str], since: Optional[Time], limit: Optional[int]) -> Call:
    return read("/postback/listen", cursor=cursor, since=time_text(since), limit=limit)


def list_deliveries(
    status: Optional[str], failing: Optional[bool], oid: Optional[str], ref_id: Optional[str], limit: Optional[int]
) -> Call:
    only_failing = None if failing is None else str(failing).lower()
    return read("/postback/deliveries", status=status, failing=only_failing, oid=oid, refId=ref_id, limit=limit)


def replay_delivery(delivery_id: str) -> Call:
    return _write(f"/postback/deliveries/{_segment(delivery_id)}/replay")


def count_replay(from_: Time, to: Time, status: Optional[str]) -> Call:
    return read("/postback/deliveries/replay", **{"from": time_text(from_), "to": time_text(to), "status": status})


def replay_range(from_: Time, to: Time, status: Optional[str]) -> Call:
    body = _given({"from": time_text(from_), "to": time_text(to), "status": status})
    return _write("/postback/deliveries/replay", body)


def next_page(call: Call, page: Mapping[str, Any]) -> Optional[Call]:
    """Returns the call that reads the page after ``page``; None if ``page`` is the last page."""
    if not page["hasMore"] or page["nextCursor"] is None:
        return None
    return Call(call.method, call.path, call.always, {**call.query, "cursor": page["nextCursor"]})


def time_text(value: Optional[Time]) -> Optional[str]:
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is None:
        raise ValueError("the time must have a time zone")
    return value.isoformat()


def _write(path: str, body: Optional[Mapping[str, object]] = None) -> Call:
    return Call("POST", path, False, body=body)


def _given(fields: Mapping[str, object]) -> Dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}


def _segment(text: str) -> str:
    """Returns an id as a segment of a path. Refuses an empty id, ``.`` and ``..``, which would name another path."""
    if not isinstance(text, str) or text in ("", ".", ".."):
        raise ValueError("the id must be an id from the platform, so it must be neither empty nor '.' nor '..'")
    return quote(text, safe="")
