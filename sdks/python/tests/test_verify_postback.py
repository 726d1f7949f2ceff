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


def changed_signature(change):
    return lambda headers, body: ({**headers, "webhook-signature": change(headers["webhook-signature"])}, body)


def flipped(text):
    raw = bytearray(base64.b64decode(text[3:]))
    raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)
    return "v1," + base64.b64encode(raw).decode()


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


SYMBOLS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
CHANGES = [
    lambda headers, body: (headers, body + b" "),
    lambda headers, body: (headers, json.dumps(json.loads(body)).encode()),
    lambda headers, body: ({**headers, "webhook-id": headers["webhook-id"] + "x"}, body),
    lambda headers, body: ({**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) + 1)}, body),
    changed_signature(flipped),
    changed_signature(lambda text: text[: random.randrange(len(text))]),
    changed_signature(lambda text: "v1," + base64.b64decode(text[3:]).hex()),
    changed_signature(lambda text: text.rstrip("=")),
    changed_signature(lambda text: f"{text[:-2]}{SYMBOLS[SYMBOLS.index(text[-2]) + 1]}="),
]


def test_of_10000_postbacks_none_is_wrongly_accepted_or_refused():
    random.seed(1)
    current, following, foreign, now = new_secret(), new_secret(), new_secret(), int(time.time())
    for number in range(10_000):
        body = f'{{"oid":"sub_{number}","sharedId":"Zo\\u00eb","items":[]}}'.encode()
        kind = number % 5
        secret = foreign if kind == 1 else random.choice([current, following])
        late = random.choice([-1, 1]) * random.randrange(301, 10**6) if kind == 2 else random.randrange(-300, 301)
        headers = signed(secret, f"id-{number}", body, now + late)
        if kind == 3:
            headers, body = random.choice(CHANGES)(headers, body)
        result = outcome_of(headers, body, [current, following], now=now)
        assert (number, isinstance(result, dict)) == (number, kind in (0, 4)), result
