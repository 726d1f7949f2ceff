import base64
import hashlib
import hmac
import json
import random
import time
from pathlib import Path

import pytest

from tandem_partner import PostbackVerificationError, verify_postback

SIGNATURES = json.loads((Path(__file__).parents[2] / "behaviours" / "signatures.json").read_text())


def outcome_of(headers, body, secrets, **options):
    try:
        verified = verify_postback(headers, body, secrets, **options)
    except PostbackVerificationError as error:
        return error.reason
    except ValueError:
        return "invalid_secret"
    flags = {"isSample": verified.is_sample, "isTest": verified.is_test}
    return {"id": verified.id, "oid": verified.postback.get("oid"), "kind": verified.kind, **flags}


@pytest.mark.parametrize("case", SIGNATURES["cases"], ids=lambda case: case["name"])
def test_signature(case):
    body = case["body"] if "body" in case else base64.b64decode(case["bodyBase64"])
    expected = case.get("accepted") or case["refused"]
    for form in (body, body.encode()) if isinstance(body, str) else (body,):
        options = {"authorization": case.get("authorization"), "now": SIGNATURES["now"]}
        assert outcome_of(case["headers"], form, case["secrets"], **options) == expected


def new_secret():
    return "whsec_" + base64.b64encode(random.randbytes(32)).decode()


def signed(secret, webhook_id, body, at):
    mac = hmac.new(base64.b64decode(secret[6:]), f"{webhook_id}.{at}.".encode() + body, hashlib.sha256)
    signature = "v1," + base64.b64encode(mac.digest()).decode()
    return {"webhook-id": webhook_id, "webhook-timestamp": str(at), "webhook-signature": signature}


@pytest.mark.parametrize("option", ["now", "tolerance_seconds"])
def test_a_time_that_is_not_a_number_is_refused(option):
    secret, body = new_secret(), b'{"oid":"sub_1","items":[]}'
    headers = signed(secret, "id-1", body, int(time.time()))
    assert isinstance(outcome_of(headers, body, secret), dict)
    assert outcome_of(headers, body, secret, **{option: float("nan")}) == "timestamp_too_old"


def test_a_notice_is_not_read_as_a_sale():
    secret, body = new_secret(), b'{"event":"sale.closed","oid":"sub_1","sharedId":"","status":"refunded","at":""}'
    verified = verify_postback(signed(secret, "id-1", body, int(time.time())), body, secret)
    assert verified.closure["status"] == "refunded"
    with pytest.raises(TypeError):
        verified.sale
