"""Verifies Tandem's postbacks (https://www.standardwebhooks.com) with the standard library: Python 3.9 or newer.

    POSTBACK_AUTHORIZATION='Bearer my-own-key' POSTBACK_SIGNING_SECRETS='whsec_…' PORT=3000 python3 verify_postback.py

This runs an endpoint that accepts signed postbacks; copy verify_postback() into your code. With `authMethod` Basic, the
authorization is 'Basic <base64 of user:password>'. During the rotation of a secret, pass the new and the old one, separated by a space:
POSTBACK_SIGNING_SECRETS='whsec_new… whsec_old…'.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
# The maximum size of a body. No postback is larger.
MAX_BODY_BYTES = 1024 * 1024


class NotTrusted(Exception):
    """The postback cannot be trusted."""


def verify_postback(authorization, secrets, headers, raw_body, now=None):
    """Returns the webhook-id, the same for every retry.

    authorization: the whole header that you expect: "Bearer <key>", or "Basic <base64 of user:password>".
    secrets: "whsec_…". Pass several during a rotation: one of them must match.
    headers: any object whose get() ignores the case of names.
    raw_body: the body exactly as it was received: JSON that was parsed and serialized again may differ.
    """
    if not hmac.compare_digest((headers.get("authorization") or "").encode(), authorization.encode()):
        raise NotTrusted("the authorization is wrong")
    webhook_id = headers.get("webhook-id")
    timestamp = headers.get("webhook-timestamp")
    signatures = headers.get("webhook-signature")
    if not webhook_id or not timestamp or not signatures:
        raise NotTrusted("a webhook header is missing")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise NotTrusted("the timestamp is not in Unix seconds")
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        raise NotTrusted("the timestamp is too old or too new")

    # The header has one entry for each secret that signs: "v1,<base64> v1,<base64>". Entries of other versions are ignored.
    received = [entry.encode() for entry in signatures.split(" ") if entry.startswith("v1,")]
    signed = f"{webhook_id}.{timestamp}.".encode() + raw_body
    matches = 0
    for secret in secrets:
        key = base64.b64decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret)
        expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        for entry in received:
            # Compares in constant time, so that the duration does not reveal how many characters match.
            matches += hmac.compare_digest(entry, expected)
    if matches == 0:
        raise NotTrusted("no signature matches")
    return webhook_id


# Ids of handled postbacks. Store yours in a database, with a unique key, in the transaction that books the sale.
handled = set()


def body_of(raw_body):
    """Returns the fields of a body. Raises ValueError if the body is not a sale, a notice or another event."""
    body = json.loads(raw_body)
    if not isinstance(body, dict):
        raise ValueError("the body is not an object")
    event, has_oid = body.get("event"), isinstance(body.get("oid"), str)
    is_sale = "event" not in body and has_oid and isinstance(body.get("items"), list)
    is_notice = event == "sale.closed" and has_oid and isinstance(body.get("status"), str)
    is_other = "event" in body and event != "sale.closed"
    if not (is_sale or is_notice or is_other):
        raise ValueError("the body is not a postback")
    return body


def handle(body):
    """Postbacks of sales and notices of their refund or chargeback come to the same URL.

    Distinguish them by the body, because the body is signed and the header X-Event is not.
    """
    if "event" not in body and body["oid"].startswith("test_"):
        return "sample"  # sent by POST /partner/postback/test: book nothing
    if "event" not in body:
        print(f"sale {body['oid']} of {body.get('sharedId') or 'no reference'}", flush=True)
        return "handled"
    if body["event"] == "sale.closed":  # refunded or charged_back: take back what you gave for it
        print(f"sale {body['oid']} is {body['status']}", flush=True)
        return "closed"
    return "ignored"  # an event of a later version


class Endpoint(BaseHTTPRequestHandler):
    # Ends a connection on which nothing arrives for this many seconds.
    timeout = 30

    def do_POST(self):
        length = self.headers.get("content-length", "0")
        if not re.fullmatch(r"[0-9]{1,12}", length):
            return self.answer(400, "the content-length is not a number")
        raw_body = self.read_body(int(length))
        if raw_body is None:
            return self.answer(413, "the body is too long")
        try:
            webhook_id = verify_postback(*self.server.settings, self.headers, raw_body)
        except NotTrusted as error:
            return self.answer(401, str(error))
        try:
            body = body_of(raw_body)
        except ValueError as error:
            return self.answer(401, str(error))
        if webhook_id in handled:
            return self.answer(200, "handled before")
        try:
            answer = handle(body)
        except Exception as error:
            # Any answer except 2xx and 410 makes Tandem send the postback again later.
            print(f"failed: {error}", flush=True)
            return self.answer(500, "failed")
        handled.add(webhook_id)
        return self.answer(200, answer)

    def read_body(self, length):
        """Returns the body, or None if it is above the limit. Such a body is read to its end, but not kept: if the connection were closed
        earlier, the sender might not see the answer."""
        if length <= MAX_BODY_BYTES:
            return self.rfile.read(length)
        while length > 0:
            chunk = self.rfile.read(min(length, 65536))
            if not chunk:
                break
            length -= len(chunk)
        return None

    def answer(self, status, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        pass


def read_settings(environment):
    """Returns the expected Authorization header and the secrets. Raises if one is missing or malformed: with such settings,
    every postback would be refused or, worse, accepted."""
    authorization = environment.get("POSTBACK_AUTHORIZATION", "")
    if not re.fullmatch(r"(Bearer|Basic) \S+", authorization):
        raise ValueError('POSTBACK_AUTHORIZATION must be "Bearer <key>" or "Basic <base64 of user:password>"')
    secrets = environment.get("POSTBACK_SIGNING_SECRETS", "").split()
    if not secrets or not all(re.fullmatch(r"whsec_[A-Za-z0-9+/]+={0,2}", secret) for secret in secrets):
        raise ValueError(
            "POSTBACK_SIGNING_SECRETS must be whsec_…; during a rotation two of them, separated by a space"
        )
    return authorization, secrets


if __name__ == "__main__":
    try:
        settings = read_settings(os.environ)
    except ValueError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Endpoint)
    server.settings = settings
    print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
