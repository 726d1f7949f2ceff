"""A shop that sells through Tandem: see README.md."""
import json
import os
import sqlite3
from urllib.parse import parse_qs
from wsgiref.simple_server import make_server

from tandem_partner import PostbackHandler, Tandem, TandemError

env = os.environ
tandem = Tandem(token=env["TANDEM_TOKEN"], base_url=env["TANDEM_BASE_URL"])
# Without the token of a voucher partner, the shop gives no coupons.
voucher_tandem = Tandem(token=env["TANDEM_VOUCHER_TOKEN"], base_url=env["TANDEM_BASE_URL"]) if env.get("TANDEM_VOUCHER_TOKEN") else None
db = sqlite3.connect(env.get("DATABASE_FILE", "shop.db"))
db.execute("create table if not exists postback (id text primary key)")
# Several sales may have the same order number, or none, so their key is the oid.
db.execute("create table if not exists sale (oid text primary key, number text, returned text, closed text)")


class Ids:
    def is_handled(self, webhook_id):
        return db.execute("select 1 from postback where id = ?", (webhook_id,)).fetchone() is not None


def book(verified):
    with db:  # stores the id and books the sale in one transaction
        db.execute("insert into postback values (?)", (verified.id,))
        if not verified.is_sample:
            db.execute("insert or ignore into sale values (?, ?, null, null)", (verified.sale["oid"], verified.sale["sharedId"]))


def close(verified):  # refunded or charged back: the customer keeps nothing
    with db:
        db.execute("insert into postback values (?)", (verified.id,))
        db.execute("update sale set closed = ? where oid = ?", (verified.closure["status"], verified.closure["oid"]))


def order_of(number):
    row = db.execute("select oid, returned, closed from sale where number = ? and number <> '' order by rowid", (number,)).fetchone()
    return row and {"oid": row[0], "returned": row[1], "closed": row[2]}


def take_back(number):
    if order := order_of(number):
        revocation = tandem.sales.revoke(order["oid"], reason="returned")
        with db:
            db.execute("update sale set returned = ? where oid = ?", (revocation["revokedAt"], order["oid"]))
    return order_of(number)


def give(number):  # the order's number is the idempotency key, so for 24 hours a repeated request gets the same codes
    group = voucher_tandem.vouchers.groups()[0]["id"]
    return [item["code"] for item in voucher_tandem.vouchers.create(group, count=2, idempotency_key=number)["items"]]


buy = lambda number: tandem.checkout.create_url(ref_id=number)  # the customer leaves for the checkout
ROUTES = {"POST /buy": buy, "GET /order": order_of, "POST /return": take_back, **({"POST /gift": give} if voucher_tandem else {})}
take_postback = PostbackHandler(
    secrets=env["POSTBACK_SIGNING_SECRETS"].split(),  # two during a rotation
    authorization=env["POSTBACK_AUTHORIZATION"], store=Ids(), on_sale=book, on_sale_closed=close, on_error=print,
)


def shop(environ, start_response):
    if environ["PATH_INFO"] == "/tandem":
        return take_postback(environ, start_response)
    route = ROUTES.get(f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}", lambda number: None)
    try:
        body = route(parse_qs(environ["QUERY_STRING"]).get("order", [""])[0])
        status = "404 Not Found" if body is None else "200 OK"
    except TandemError as error:
        status, body = f"{error.status or 502} Failed", {"code": error.code, "request": error.request_id}
    except ValueError as error:  # such as a number that is not a valid idempotency key
        status, body = "422 Failed", {"code": "invalid", "detail": str(error)}
    start_response(status, [("content-type", "application/json")])
    return [json.dumps(body).encode()]


server = make_server("127.0.0.1", int(env.get("PORT", "3000")), shop)
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
