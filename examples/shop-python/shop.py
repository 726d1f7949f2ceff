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
# Several sales may have the same number, or none, so their key is the oid.
db.execute("create table if not exists sale (oid text primary key, number text, returned text, closed text)")


def take_postback(headers, raw_body):
    verified = verify_postback(headers, raw_body, secrets, authorization=authorization)
    with db:  # stores the id and books the sale in one transaction
        new = db.execute("insert or ignore into postback values (?)", (verified.id,)).rowcount == 1
        if new and verified.kind == "sale" and not verified.is_sample:
            sale = verified.sale
            db.execute("insert or ignore into sale values (?, ?, null, null)", (sale["oid"], sale["sharedId"]))
        if new and verified.kind == "closure":  # refunded or charged back: the customer keeps nothing
            notice = verified.closure
            db.execute("update sale set closed = ? where oid = ?", (notice["status"], notice["oid"]))
    return "handled" if new else "handled before"


def order_of(number):
    query = "select oid, returned, closed from sale where number = ? and number <> '' order by rowid"
    row = db.execute(query, (number,)).fetchone()
    return row and {"oid": row[0], "returned": row[1], "closed": row[2]}


def take_back(number):
    order = order_of(number)
    if order:
        revocation = tandem.sales.revoke(order["oid"], reason="returned")
        with db:
            db.execute("update sale set returned = ? where oid = ?", (revocation["revokedAt"], order["oid"]))
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
        except ValueError as error:  # such as a number that is no idempotency key
            return self.answer(422, {"code": "invalid", "detail": str(error)})

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
