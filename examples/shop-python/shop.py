"""A shop that sells through Tandem: see README.md."""
import json
import os
import sqlite3
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

from tandem_partner import PostbackVerificationError, Tandem, TandemError, verify_postback

tandem = Tandem(token=os.environ["TANDEM_TOKEN"], base_url=os.environ["TANDEM_URL"])
voucher_tandem = Tandem(token=os.environ["TANDEM_VOUCHER_TOKEN"], base_url=os.environ["TANDEM_URL"])
secrets = os.environ["POSTBACK_SIGNING_SECRETS"].split()  # two during a rotation
authorization = os.environ["POSTBACK_AUTHORIZATION"]
db = sqlite3.connect(os.environ.get("DATABASE_FILE", "shop.db"))
db.execute("create table if not exists postback (id text primary key)")
db.execute("create table if not exists sale (number text primary key, oid text, returned text)")


def take_postback(headers, raw_body):
    verified = verify_postback(headers, raw_body, secrets, authorization=authorization)
    with db:  # stores the id and books the sale in one transaction
        new = db.execute("insert or ignore into postback values (?)", (verified.id,)).rowcount == 1
        if new and not verified.is_sample:
            sale = verified.postback
            db.execute("insert or replace into sale values (?, ?, null)", (sale["sharedId"], sale["oid"]))
    return "handled" if new else "handled before"


def order_of(number):
    row = db.execute("select oid, returned from sale where number = ?", (number,)).fetchone()
    return row and {"oid": row[0], "returned": row[1]}


def take_back(number):
    order = order_of(number)
    if order:
        revocation = tandem.sales.revoke(order["oid"], reason="returned")
        with db:
            db.execute("update sale set returned = ? where number = ?", (revocation["revokedAt"], number))
    return order_of(number)


def give(number):  # the order's number as key: the same order never gets further codes
    group = voucher_tandem.vouchers.groups()[0]
    return [item["code"] for item in voucher_tandem.vouchers.create(group["id"], count=2, idempotency_key=number)["items"]]


ROUTES = {
    "POST /buy": lambda number: tandem.checkout.create_url(ref_id=number),  # the customer leaves for the checkout
    "GET /order": order_of,
    "POST /return": take_back,
    "POST /gift": give,
}


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlsplit(self.path)
        try:
            if url.path == "/tandem":
                raw_body = self.rfile.read(int(self.headers.get("content-length", "0")))
                return self.answer(200, take_postback(self.headers, raw_body))
            route = ROUTES.get(f"{self.command} {url.path}", lambda number: None)
            body = route(parse_qs(url.query).get("order", [""])[0])
            return self.answer(404 if body is None else 200, body)
        except PostbackVerificationError as error:
            return self.answer(401, error.reason)
        except TandemError as error:
            return self.answer(error.status or 502, {"code": error.code})

    do_POST = do_GET

    def answer(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format, *args):
        pass


server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Shop)
print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
