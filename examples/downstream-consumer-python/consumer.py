"""Sums up the sales of each partner from sale.completed, sale.revoked and sale.closed; counts each event once. See README.md."""
import json
import logging
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
create table if not exists sale (oid text primary key, partner_id text, currency text, cents integer, ended integer);
create view if not exists partner_sales as
  select partner_id, currency, count(*) as sales, sum(cents) as cents
    from sale where partner_id is not null and ended is null group by partner_id, currency;
"""
# Topics are not ordered relative to each other, so each event writes its own part of the sale's row.
COMPLETE = """
insert into sale (oid, partner_id, currency, cents) values (?, ?, ?, ?)
on conflict (oid) do update set partner_id = excluded.partner_id, currency = excluded.currency, cents = excluded.cents
"""
END = "insert into sale (oid, ended) values (?, 1) on conflict (oid) do update set ended = 1"


def texts(sale, *names):
    values = tuple(sale[name] for name in names)
    if not all(isinstance(value, str) and value.isprintable() for value in values):
        raise ValueError(f"one of {names} is not printable text")
    return values


def completed(sale):
    cents = sum(int(item["price"].replace(".", "")) * int(item["quantity"]) for item in sale["items"])
    if not 0 <= cents < 2**53:
        raise ValueError("the sum is negative or too large")
    return COMPLETE, (*texts(sale, "oid", "partnerId", "currency"), cents)


def ended(sale):
    return END, texts(sale, "oid")


READERS = {"sale.completed": completed, "sale.revoked": ended, "sale.closed": ended}


def read(topic, value):
    """Returns the statement for a live sale; None for a test sale. Any error means that the value is invalid."""
    sale = json.loads(value)
    effect = READERS[topic](sale)
    return effect if sale["environment"] == "live" else None  # a partner's test sale is not revenue


def handle(message):
    event_id = (dict(message.headers).get("ce_id") or b"").decode(errors="replace")
    if not UUID.fullmatch(event_id):  # an event from another source is identified by its position
        event_id = f"{message.topic}/{message.partition}/{message.offset}"
    if db.execute("insert or ignore into handled_event values (?)", (event_id,)).rowcount == 0:
        return  # handled before
    try:
        effect = read(message.topic, message.value)
    except Exception as error:  # the value is stored for people to check, and consumption continues
        db.execute("insert into refused_event values (?, ?, ?)", (event_id, repr(error), message.value))
    else:
        if effect:
            db.execute(*effect)


logging.basicConfig(level=logging.WARNING)  # the client warns when it cannot reach the brokers or rejoins its group
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
    *READERS,
    bootstrap_servers=os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092").split(","),
    group_id=os.environ.get("KAFKA_GROUP", "sales-report-python"),
    auto_offset_reset="earliest",  # a new group begins with the oldest existing event
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
