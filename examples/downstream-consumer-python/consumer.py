"""Sums up the sales of each partner from sale.completed, each event once: see README.md."""
import json
import os
import re
import signal
import sqlite3
import ssl
import sys

from kafka import KafkaConsumer

UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TABLES = """
create table if not exists handled_event (id text primary key);
create table if not exists refused_event (id text primary key, reason text, value blob);
create table if not exists partner_sales (
  partner_id text, currency text, sales integer, cents integer, primary key (partner_id, currency));
"""
ADD_SALE = """
insert into partner_sales values (?, ?, 1, ?)
on conflict (partner_id, currency) do update set sales = sales + 1, cents = cents + excluded.cents
"""


def read(value):
    """Partner, currency and cents of a live sale, None of a rehearsal. Any error means that the value is not a sale that fits."""
    sale = json.loads(value)
    names = (sale["partnerId"], sale["currency"])
    cents = sum(int(item["price"].replace(".", "")) * int(item["quantity"]) for item in sale["items"])
    if not all(isinstance(name, str) and name.isprintable() for name in names) or not 0 <= cents < 2**53:
        raise ValueError("a name is no text, or the sum is too large")
    return (*names, cents) if sale["environment"] == "live" else None  # a partner's rehearsal is no revenue


def handle(message):
    event_id = (dict(message.headers).get("ce_id") or b"").decode(errors="replace")
    if not UUID.fullmatch(event_id):  # put there by somebody else: known by its place
        event_id = f"{message.partition}/{message.offset}"
    if db.execute("insert or ignore into handled_event values (?)", (event_id,)).rowcount == 0:
        return  # handled before
    try:
        sale = read(message.value)
    except Exception as error:  # kept for people; the next one is handled
        db.execute("insert into refused_event values (?, ?, ?)", (event_id, repr(error), message.value))
    else:
        if sale:
            db.execute(ADD_SALE, sale)


signal.signal(signal.SIGTERM, lambda *_: sys.exit())
db = sqlite3.connect(os.environ.get("DATABASE_FILE", "sales.db"))
db.executescript(TABLES)
login = {}
if "KAFKA_SASL_USERNAME" in os.environ:
    login = {
        "security_protocol": "SASL_SSL",
        "ssl_context": ssl.create_default_context(cadata=os.environ.get("KAFKA_TLS_CA")),
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_plain_username": os.environ["KAFKA_SASL_USERNAME"],
        "sasl_plain_password": os.environ["KAFKA_SASL_PASSWORD"],
    }
consumer = KafkaConsumer(
    "sale.completed",
    bootstrap_servers=os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092").split(","),
    group_id=os.environ.get("KAFKA_GROUP", "sales-report-python"),
    auto_offset_reset="earliest",  # a new group begins with the oldest event that there is
    enable_auto_commit=False,
    session_timeout_ms=10_000,
    **login,
)
try:
    while True:
        batches = consumer.poll(timeout_ms=1000, max_records=100).values()
        with db:  # stores the ids of the events and their effects in one transaction, before the offsets
            for message in (message for batch in batches for message in batch):
                handle(message)
        if batches:
            consumer.commit()
finally:
    consumer.close(autocommit=False)
