"""Runs ../behaviours/handlers.json, which the TypeScript SDK runs too, and the endpoint with WSGI, ASGI, Flask, Starlette and Django."""
import asyncio
import base64
import gc
import hashlib
import hmac
import io
import json
import os
import random
import time
from pathlib import Path

import httpx
import pytest

from tandem_partner import AsyncPostbackHandler, MemoryStore, PostbackHandler

BEHAVIOURS = json.loads((Path(__file__).parents[2] / "behaviours" / "handlers.json").read_text())
AUTHORIZATION = "Bearer my-own-key"
SECRETS = {name: "whsec_" + base64.b64encode(random.randbytes(32)).decode() for name in ("own", "another")}
SALE = {"id": "id-1", "body": '{"oid":"sub_1","sharedId":"Zo\\u00eb","items":[]}'}


def signed(post):
    body = (post["body"] * post.get("times", 1)).encode()
    at = int(time.time()) - post.get("secondsAgo", 0)
    key = base64.b64decode(SECRETS[post.get("signedBy", "own")][6:])
    mac = hmac.new(key, f"{post['id']}.{at}.".encode() + body, hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(mac).decode()
    headers = {"webhook-id": post["id"], "webhook-timestamp": str(at), "webhook-signature": signature}
    return {"authorization": AUTHORIZATION, **headers, **post.get("headers", {})}, body


class Endpoint:
    """The functions of a shop, which record their calls, and fail as often as the behaviour requires."""

    def __init__(self, behaviour):
        self.behaviour = behaviour
        self.fails = dict(behaviour.get("fails", {}))
        self.booked, self.closed, self.calls, self.reported = [], [], [], 0

    def options(self):
        store = ScriptedStore(self) if "store" in self.behaviour else MemoryStore()
        closed = {} if self.behaviour.get("ignoresClosures") else {"on_sale_closed": self.close}
        functions = {"on_sale": self.book, "on_error": self.report, **closed}
        return {"secrets": [SECRETS["own"]], "authorization": AUTHORIZATION, "store": store, **functions}

    def book(self, verified):
        self.fail("onSale")
        marks = [name for name, is_set in (("sample", verified.is_sample), ("test", verified.is_test)) if is_set]
        self.booked.append(" ".join([verified.sale["oid"], *marks]))

    def close(self, verified):
        self.fail("onSaleClosed")
        self.closed.append(f"{verified.closure['oid']} {verified.closure['status']}")

    def report(self, error):
        self.reported += 1
        self.fail("onError")

    def fail(self, name):
        self.fails[name] = self.fails.get(name, 0) - 1
        if self.fails[name] >= 0:
            raise RuntimeError(f"{name} has failed")


class ScriptedStore:
    def __init__(self, endpoint):
        script = endpoint.behaviour["store"]
        names = {"is_handled": "isHandled"} if "isHandled" in script else {}
        if "claim" in script or not names:
            names.update({"claim": "claim", "done": "done", "release": "release"})
        for method, name in names.items():
            setattr(self, method, self.method(endpoint, name, script))

    @staticmethod
    def method(endpoint, name, script):
        def call(webhook_id):
            endpoint.calls.append(f"{name} {webhook_id}")
            result = script[name].pop(0) if name in script else None
            if result == "fails" or name in script.get("fails", []):
                raise RuntimeError(f"{name} has failed")
            return result

        return call


class AsyncEndpoint(Endpoint):
    """The same functions as async functions."""

    def options(self):
        options = super().options()
        return {name: later(value) if name.startswith("on_") else value for name, value in options.items()}


def later(function):
    async def call(argument):
        await asyncio.sleep(0)
        return function(argument)

    return call


def check(behaviour, endpoint, answer):
    for post in behaviour["posts"]:
        text, status, headers = answer(*signed(post))
        found = {"status": status, "text": text}
        retry_after = {"retryAfter": headers["retry-after"]} if "retry-after" in headers else {}
        assert {**found, **retry_after} == post["answer"]
    assert endpoint.booked == behaviour.get("booked", [])
    assert endpoint.closed == behaviour.get("closed", [])
    assert endpoint.reported == behaviour.get("reported", 0)
    if "calls" in behaviour:
        assert endpoint.calls == behaviour["calls"]


def copied(behaviour):
    return json.loads(json.dumps(behaviour))


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour["name"])
def test_handler(behaviour):
    endpoint = Endpoint(copied(behaviour))
    check(behaviour, endpoint, PostbackHandler(**endpoint.options()).handle)


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour["name"])
def test_async_handler(behaviour):
    endpoint = AsyncEndpoint(copied(behaviour))
    handler = AsyncPostbackHandler(**endpoint.options())
    check(behaviour, endpoint, lambda *request: asyncio.run(handler.handle(*request)))


def test_the_size_of_a_body_that_is_text_is_counted_in_bytes():
    headers, body = signed({"id": "id-1", "body": "\u00e9", "times": 600_000})
    handler = PostbackHandler(**Endpoint({}).options())
    assert handler.handle(headers, body.decode()).status == 413


def test_a_repeated_postback_is_not_confirmed_while_its_sale_is_being_booked():
    endpoint = Endpoint({})
    answers = []

    async def book(verified):
        answers.append((await handler.handle(*signed(SALE))).status)
        raise RuntimeError("rolled back")

    handler = AsyncPostbackHandler(**{**endpoint.options(), "on_sale": book})
    answers.append(asyncio.run(handler.handle(*signed(SALE))).status)
    assert answers == [409, 500]


def test_a_synchronous_handler_confirms_nothing_when_a_function_is_async():
    errors = []
    endpoint = Endpoint({})
    handler = PostbackHandler(**{**endpoint.options(), "on_sale": later(endpoint.book), "on_error": errors.append})
    assert handler.handle(*signed(SALE)).status == 500
    assert "AsyncPostbackHandler" in str(errors[0])


class WaitingStore(MemoryStore):
    """A store whose ``done`` and ``release`` need time, and which records their calls."""

    def __init__(self):
        super().__init__()
        self.calls = []

    async def done(self, webhook_id):
        self.calls.append("done starts")
        await asyncio.sleep(0.01)
        super().done(webhook_id)
        self.calls.append("done")

    async def release(self, webhook_id):
        await asyncio.sleep(0.01)
        super().release(webhook_id)
        self.calls.append("release")


def waiting_handler(on_sale):
    """Returns a handler, its store, and the errors that it reports."""
    store, errors = WaitingStore(), []
    handler = AsyncPostbackHandler(secrets=SECRETS["own"], store=store, on_sale=on_sale, on_error=errors.append)
    return handler, store, errors


async def until(condition):
    async def check():
        while not condition():
            await asyncio.sleep(0.001)

    await asyncio.wait_for(check(), 5)


async def cancelled(handler, condition):
    """Cancels a request, as a server does when the platform has closed the connection, as soon as the condition is true."""
    request = asyncio.ensure_future(handler.handle(*signed(SALE)))
    await until(condition)
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request


def test_a_cancelled_request_ends_its_claim_when_the_sale_is_booked():
    async def scenario():
        booked, booking = [], []

        async def book(verified):
            booking.append(verified)
            await asyncio.sleep(0.01)
            booked.append(verified.sale["oid"])

        handler, store, _ = waiting_handler(book)
        await cancelled(handler, lambda: booking)
        gc.collect()
        await until(lambda: "done" in store.calls)
        assert (await handler.handle(*signed(SALE)))[:2] == ("handled before", 200)
        assert booked == ["sub_1"]

    asyncio.run(scenario())


def test_a_cancelled_request_releases_its_claim_when_the_booking_fails():
    async def scenario():
        booking = []

        async def book(verified):
            booking.append(verified)
            await asyncio.sleep(0.01)
            if len(booking) == 1:
                raise RuntimeError("rolled back")

        handler, store, errors = waiting_handler(book)
        await cancelled(handler, lambda: booking)
        await until(lambda: errors)
        assert store.calls == ["release"]
        assert (await handler.handle(*signed(SALE)))[:2] == ("handled", 200)

    asyncio.run(scenario())


def test_a_request_that_is_cancelled_after_the_booking_does_not_cause_a_second_one():
    async def scenario():
        booked = []
        handler, store, _ = waiting_handler(booked.append)
        await cancelled(handler, lambda: store.calls == ["done starts"])
        await until(lambda: "done" in store.calls)
        assert (await handler.handle(*signed(SALE)))[:2] == ("handled before", 200)
        assert len(booked) == 1

    asyncio.run(scenario())


def test_a_claim_is_released_when_on_sale_awaits_work_that_was_cancelled():
    async def book(verified):
        other = asyncio.ensure_future(asyncio.sleep(5))
        asyncio.get_running_loop().call_soon(other.cancel)
        await other

    handler, store, errors = waiting_handler(book)
    assert asyncio.run(handler.handle(*signed(SALE))).status == 500
    assert store.calls == ["release"]
    assert isinstance(errors[0].__cause__, asyncio.CancelledError)


def test_a_claim_is_released_when_the_event_loop_closes_during_the_booking():
    async def book(verified):
        booking.append(verified)
        await asyncio.sleep(5)

    booking = []
    handler, store, _ = waiting_handler(book)
    asyncio.run(cancelled(handler, lambda: booking))
    assert store.calls == ["release"]


def test_an_async_handler_runs_in_other_event_loops_than_those_of_asyncio():
    class Turn:
        def __await__(self):
            yield "a turn of another event loop"

    async def book(verified):
        await Turn()
        endpoint.book(verified)

    endpoint = Endpoint({})
    request = AsyncPostbackHandler(**{**endpoint.options(), "on_sale": book}).handle(*signed(SALE))
    assert request.send(None) == "a turn of another event loop"
    with pytest.raises(StopIteration) as end:
        request.send(None)
    assert end.value.value.status == 200
    assert endpoint.booked == ["sub_1"]


@pytest.mark.parametrize("handler", [PostbackHandler, AsyncPostbackHandler])
@pytest.mark.parametrize("options", [{"secrets": []}, {"secrets": "whsec_c2hvcnQ="}, {"store": object()}])
def test_options_that_cannot_work_are_refused(handler, options):
    with pytest.raises((ValueError, TypeError)):
        handler(**{**Endpoint({}).options(), **options})


@pytest.mark.parametrize("handler", [PostbackHandler, AsyncPostbackHandler])
@pytest.mark.parametrize("secrets", [[""], "", [None], None, []])
def test_secrets_of_a_variable_that_is_not_set_are_refused_with_a_hint(handler, secrets):
    with pytest.raises(ValueError, match="is its variable set"):
        handler(**{**Endpoint({}).options(), "secrets": secrets})


@pytest.mark.parametrize("handler", [PostbackHandler, AsyncPostbackHandler])
@pytest.mark.parametrize(("authorization", "message"), [("", "is its variable set"), ("my-own-key", "the whole header")])
def test_an_authorization_that_no_postback_can_have_is_refused_with_a_hint(handler, authorization, message):
    with pytest.raises(ValueError, match=message):
        handler(**{**Endpoint({}).options(), "authorization": authorization})


def test_a_claim_ends_after_a_minute_and_does_not_undo_what_another_request_has_booked(monkeypatch):
    clock = [1_000.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    store = MemoryStore(capacity=2)
    assert [store.claim("a"), store.claim("a")] == [True, "busy"]
    clock[0] += 60
    assert store.claim("a") is True
    store.done("a")
    store.release("a")
    assert store.claim("a") is False
    assert [store.claim("b"), store.claim("c"), store.claim("a")] == [True, True, True]


def test_a_failed_request_whose_claim_has_expired_keeps_the_claim_of_another_request(monkeypatch):
    clock = [1_000.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    store = MemoryStore()
    assert store.claim("a") is True
    clock[0] += 60
    assert store.claim("a") is True
    store.release("a")
    assert store.claim("a") == "busy"
    store.release("a")
    assert store.claim("a") is True


def wsgi(endpoint):
    def answer(headers, body):
        environ = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
        started = []
        request = {**environ, "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
        handler = PostbackHandler(**endpoint.options())
        return b"".join(handler(request, lambda *start: started.extend(start))).decode(), int(started[0][:3])

    return answer


def asgi(endpoint):
    def answer(headers, body):
        messages = [{"type": "http.request", "body": body[:9], "more_body": True}, {"type": "http.request", "body": body[9:]}]
        sent = []

        async def receive():
            return messages.pop(0)

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()]}
        asyncio.run(AsyncPostbackHandler(**endpoint.options())(scope, receive, send))
        return sent[1]["body"].decode(), sent[0]["status"]

    return answer


def flask_app(endpoint):
    from flask import Flask, request

    app, handler = Flask(__name__), PostbackHandler(**endpoint.options())
    app.post("/tandem")(lambda: handler.handle(request.headers, request.get_data()))

    def answer(headers, body):
        response = app.test_client().post("/tandem", headers=headers, data=body)
        return response.text, response.status_code

    return answer


def starlette_app(endpoint):
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route

    handler = AsyncPostbackHandler(**endpoint.options())

    async def tandem(request):
        return Response(*await handler.handle(request.headers, await request.body()))

    def answer(headers, body):
        app = Starlette(routes=[Route("/tandem", tandem, methods=["POST"])])

        async def post():
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
                return await client.post("/tandem", headers=headers, content=body)

        response = asyncio.run(post())
        return response.text, response.status_code

    return answer


def django_view(endpoint):
    from django.conf import settings
    from django.http import HttpResponse
    from django.test import RequestFactory

    if not settings.configured:
        settings.configure()
    handler = PostbackHandler(**endpoint.options())

    def answer(headers, body):
        names = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
        request = RequestFactory().generic("POST", "/tandem", body, "application/json", **names)
        text, status, answered = handler.handle(request.headers, request.body)
        response = HttpResponse(text, status=status, headers=answered)
        return response.content.decode(), response.status_code

    return answer


@pytest.mark.parametrize("start", [wsgi, asgi, flask_app, starlette_app, django_view])
def test_a_framework_passes_the_request_as_it_came(start):
    endpoint = Endpoint({})
    answer = start(endpoint)
    assert answer(*signed(SALE)) == ("handled", 200)
    headers, body = signed({**SALE, "id": "id-2"})
    assert answer(headers, body.replace(b"sub_1", b"sub_2")) == ("signature_mismatch", 401)
    assert endpoint.booked == ["sub_1"]


@pytest.mark.skipif("MANY_POSTBACKS" not in os.environ, reason="npm test generates the file")
def test_of_many_postbacks_none_is_wrongly_accepted_or_refused():
    """MANY_POSTBACKS is the path of a JSON file that libs/partner-sdk/test/many-postbacks.ts has generated."""
    many = json.loads(Path(os.environ["MANY_POSTBACKS"]).read_text())
    booked, errors = [], []
    handler = PostbackHandler(
        secrets=many["secrets"],
        store=MemoryStore(),
        on_sale=lambda verified: booked.append(verified.sale["oid"]),
        on_error=errors.append,
    )
    statuses = {"handled": 200, "handled before": 200, "refused": 401}
    for number, postback in enumerate(many["postbacks"]):
        answer = handler.handle(postback["headers"], base64.b64decode(postback["bodyBase64"]))
        told = f"seed {many['seed']}, {number}: {', '.join(postback['changes'])}: {answer.text}"
        assert answer.status == statuses[postback["expected"]], told
        assert postback["expected"] in (answer.text, "refused"), told
    expected = [postback["oid"] for postback in many["postbacks"] if postback["expected"] == "handled"]
    assert booked == expected
    assert len(errors) == sum(postback["expected"] == "refused" for postback in many["postbacks"])
