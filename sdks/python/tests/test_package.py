"""The types follow the API document, the versions follow the package and the release of the API, and options and hooks behave as documented."""
import asyncio
import json
import re
from datetime import datetime, timezone
from pathlib import Path
from typing import get_type_hints

import httpx
import pytest

import tandem_partner
from tandem_partner import AsyncTandem, RequestInfo, ResponseInfo, Tandem, types
from tandem_partner._version import API_VERSION

ROOT = Path(__file__).parents[3]
SCHEMAS = json.loads((ROOT / "docs/openapi/partner-api.json").read_text())["components"]["schemas"]
RENAMED = {
    "Attempt": "PostbackAttemptDto",
    "CreatedVouchers": "CreatedCoupons",
    "Delivery": "PostbackDeliveryDto",
    "PostbackTest": "PostbackTestDto",
    "ReplayCount": "ReplayCountDto",
    "ReplayedDeliveries": "ReplayedDeliveriesDto",
    "ReplayedDelivery": "ReplayedDeliveryDto",
    "Sale": "PartnerSale",
    "SigningSecret": "SigningSecretDto",
    "Voucher": "Coupon",
}
# Only a TypedDict has __total__.
TYPED_DICTS = [
    name for name, value in vars(types).items() if hasattr(value, "__total__") and not name.startswith("_")
]


@pytest.mark.parametrize("name", TYPED_DICTS)
def test_the_fields_of_a_type_are_those_of_the_document(name):
    hints = get_type_hints(getattr(types, name))
    assert set(hints) == set(SCHEMAS[RENAMED.get(name, name)]["properties"])


@pytest.mark.parametrize(
    "name, schema, field",
    [
        ("SaleStatus", "PartnerSale", "status"),
        ("RevocationReason", "Revocation", "reason"),
        ("StatisticsPeriod", "Statistics", "by"),
        ("VoucherStatus", "Coupon", "status"),
        ("AuthMethod", "PostbackConfiguration", "authMethod"),
        ("DeliveryKind", "PostbackDeliveryDto", "kind"),
        ("DeliveryStatus", "PostbackDeliveryDto", "status"),
        ("ReplayStatus", "ReplayRangeBody", "status"),
    ],
)
def test_the_values_of_a_type_are_those_of_the_document(name, schema, field):
    documented = SCHEMAS[schema]["properties"][field]["enum"]
    # None, of a field that may be null, is not a value of the type.
    assert list(getattr(types, name).__args__) == [value for value in documented if value is not None]


def test_the_versions_are_those_of_the_package_and_of_the_released_api():
    declared = re.search('^version = "(.+)"$', (ROOT / "sdks/python/pyproject.toml").read_text(), re.M)
    assert declared and declared[1] == tandem_partner.__version__
    released = json.loads((ROOT / "docs/openapi/released/partner-api.json").read_text())
    assert API_VERSION == released["version"]


def client(**options):
    answer = lambda request: httpx.Response(200, json={"items": [], "hasMore": False}, headers={"x-request-id": "r-1"})
    http = httpx.Client(transport=httpx.MockTransport(answer))
    return Tandem(**{"token": "ptk_test_secret-token", "base_url": "https://api.example.com", "http_client": http, **options})


def test_hooks_see_each_attempt_without_the_token():
    seen = []
    tandem = client(on_request=seen.append, on_response=seen.append)
    tandem.account.get(options=tandem_partner.CallOptions(request_id="order-1"))
    request, response = seen
    assert request == RequestInfo("GET", "https://api.example.com/api/v2/partner/account", 1)
    assert isinstance(response, ResponseInfo) and (response.status, response.request_id) == (200, "r-1")
    assert "secret-token" not in f"{seen} {vars(tandem)}"


def rotate_sync(transport, **options):
    with httpx.Client(transport=transport) as http:
        client(http_client=http, **options).postback.rotate_secret()


def rotate_async(transport, **options):
    async def work():
        async with httpx.AsyncClient(transport=transport) as http:
            tandem = AsyncTandem(token="ptk_test_x", base_url="https://api.example.com", http_client=http, **options)
            await tandem.postback.rotate_secret()

    asyncio.run(work())


@pytest.mark.parametrize("rotate", [rotate_sync, rotate_async])
@pytest.mark.parametrize("hook, sent", [("on_request", 0), ("on_response", 1)])
def test_an_error_of_httpx_that_a_hook_raises_ends_the_call_and_the_request_is_not_repeated(rotate, hook, sent):
    failure, requests, runs = httpx.ConnectError("no connection to the metrics"), [], []

    def answer(request):
        requests.append(request)
        return httpx.Response(200, json={"signingSecret": "whsec_x"})

    def fail_once(info):
        runs.append(info)
        if len(runs) == 1:
            raise failure

    with pytest.raises(httpx.ConnectError) as raised:
        rotate(httpx.MockTransport(answer), **{hook: fail_once})
    assert raised.value is failure
    assert (len(requests), len(runs)) == (sent, 1)


@pytest.mark.parametrize(
    "limits",
    [{"timeout": 0}, {"timeout": float("nan")}, {"deadline": 0}, {"deadline": -1}, {"max_retries": -1}, {"max_retries": 0.5}],
)
def test_limits_of_a_call_are_checked_like_those_of_the_client(limits):
    seen = []
    with pytest.raises(ValueError):
        client(on_request=seen.append).account.get(options=tandem_partner.CallOptions(**limits))
    assert seen == []


@pytest.mark.parametrize("timeout, least, most", [(1e-9, 0.001, 0.001), (float("inf"), 1e6, 2**31 / 1000)])
def test_an_attempt_has_a_time_that_sockets_accept(timeout, least, most):
    timeouts = []

    def answer(request):
        timeouts.append(request.extensions["timeout"]["read"])
        return httpx.Response(200, json={})

    http = httpx.Client(transport=httpx.MockTransport(answer))
    client(http_client=http, deadline=float("inf")).account.get(options=tandem_partner.CallOptions(timeout=timeout))
    assert least <= timeouts[0] <= most


def test_times_must_have_a_time_zone():
    urls = []
    tandem = client(on_request=lambda request: urls.append(request.url))
    assert list(tandem.sales.list(from_=datetime(2026, 3, 1, tzinfo=timezone.utc))) == []
    assert urls[0].endswith("?from=2026-03-01T00%3A00%3A00%2B00%3A00")
    with pytest.raises(ValueError):
        list(tandem.sales.list(from_=datetime(2026, 3, 1)))


@pytest.mark.parametrize(
    "options",
    [{"token": ""}, {"token": "a\nb"}, {"token": None}, {"base_url": "api.example.com"}]
    + [{"base_url": "https://api.example.com/api/v2"}, {"base_url": "https://api.example.com\x1b[2J"}, {"base_url": "https://user:secret@api.example.com"}, {"timeout": 0}, {"deadline": float("nan")}, {"max_retries": 1.5}],
)
def test_options_that_cannot_work_are_refused(options):
    with pytest.raises(ValueError):
        client(**options)
