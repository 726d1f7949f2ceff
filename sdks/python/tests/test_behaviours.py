"""Runs the behaviours of calls in ../behaviours, which the TypeScript SDK runs too, against both clients."""
import asyncio
import json
import re
from pathlib import Path

import httpx
import pytest

import tandem_partner
from tandem_partner import AsyncTandem, Tandem, TandemError

FOLDER = Path(__file__).parents[2] / "behaviours"
TOKEN = "ptk_test_token"
BEHAVIOURS = [item for name in ("calls", "retries", "errors") for item in json.loads((FOLDER / f"{name}.json").read_text())]
FAILURES = {"refused": httpx.ConnectError, "reset": httpx.ReadError, "silence": httpx.ReadTimeout}
RESERVED = {"from": "from_"}


class RecordedPace:
    """A clock that advances only by waiting."""

    def __init__(self):
        self.waits = []
        self.time = 1_000_000.0

    def now(self):
        return self.time

    def sleep(self, seconds):
        self.waits.append(seconds)
        self.time += seconds

    async def sleep_async(self, seconds):
        self.sleep(seconds)


class ScriptedPlatform:
    """Returns the listed answers in their order, and records the requests."""

    def __init__(self, answers):
        self.answers = list(answers)
        self.requests = []
        self.transport = httpx.MockTransport(self.answer)

    def answer(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if "fails" in answer:
            raise FAILURES[answer["fails"]]("failed", request=request)
        body = {"json": answer["json"]} if "json" in answer else {"text": answer["text"]}
        return httpx.Response(answer["status"], headers=answer.get("headers"), **body)


def snake(name):
    return RESERVED.get(name) or re.sub("[A-Z]", lambda match: f"_{match[0].lower()}", name)


def method_of(tandem, call):
    resource, name = call["method"].split(".")
    method = getattr(getattr(tandem, resource), snake(name))
    named = {snake(key): value for key, value in call.get("named", {}).items()}
    return lambda: method(*call.get("positional", []), **named)


def settings_of(behaviour, pace):
    options = behaviour.get("options", {})
    seconds = {key: options[f"{key}Ms"] / 1000 for key in ("timeout", "deadline") if f"{key}Ms" in options}
    retries = {"max_retries": options["maxRetries"]} if "maxRetries" in options else {}
    return {"token": TOKEN, "base_url": "https://api.example.com/", "_pace": pace, **seconds, **retries}


def run_sync(behaviour, platform, pace):
    with httpx.Client(transport=platform.transport) as http:
        result = method_of(Tandem(http_client=http, **settings_of(behaviour, pace)), behaviour["call"])()
        return list(result) if hasattr(result, "__next__") else result


def run_async(behaviour, platform, pace):
    async def work():
        async with httpx.AsyncClient(transport=platform.transport) as http:
            result = method_of(AsyncTandem(http_client=http, **settings_of(behaviour, pace)), behaviour["call"])()
            return [item async for item in result] if hasattr(result, "__anext__") else await result

    return asyncio.run(work())


def check_error(error, expected):
    if expected["class"] == "argument":
        assert isinstance(error, ValueError)
        return
    assert isinstance(error, TandemError)
    assert type(error) is getattr(tandem_partner, expected["class"])
    for key, value in expected.items():
        if key == "fields":
            assert [item["field"] for item in error.errors] == value
        elif key != "class":
            assert (key, getattr(error, snake(key))) == (key, value)
    assert TOKEN not in f"{error} {error!r}"


@pytest.mark.parametrize("run", [run_sync, run_async])
@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour["name"])
def test_behaviour(run, behaviour):
    platform, pace = ScriptedPlatform(behaviour["answers"]), RecordedPace()
    if "error" in behaviour:
        with pytest.raises((TandemError, ValueError)) as raised:
            run(behaviour, platform, pace)
        check_error(raised.value, behaviour["error"])
    else:
        assert run(behaviour, platform, pace) == behaviour["result"]

    sent = [(request.method, request.url.raw_path.decode().partition("?")[0]) for request in platform.requests]
    assert sent == [(expected["method"], expected["path"]) for expected in behaviour["requests"]]
    for request, expected in zip(platform.requests, behaviour["requests"]):
        assert request.url.host == "api.example.com"
        assert dict(request.url.params) == expected.get("query", {})
        assert (json.loads(request.content) if request.content else None) == expected.get("json")
        assert request.headers["user-agent"].startswith("tandem-partner-python/")
        for name, value in {"authorization": f"Bearer {TOKEN}", **expected.get("headers", {})}.items():
            assert request.headers[name] == value
    if "sameHeader" in behaviour:
        values = {request.headers[behaviour["sameHeader"]] for request in platform.requests}
        assert len(values) == 1 and len(values.pop()) >= 8
    assert len(pace.waits) == len(behaviour["waits"])
    for wait, (least, most) in zip(pace.waits, behaviour["waits"]):
        assert least <= wait <= most
