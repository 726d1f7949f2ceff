"""The synchronous client."""
from __future__ import annotations

from types import TracebackType
from typing import Any, Callable, Iterator, List, Optional, Type, Union, cast

import httpx

from . import _calls as calls
from ._calls import Call, Time
from ._exchange import Exchange
from ._retries import Pace
from ._settings import CallOptions, RequestInfo, ResponseInfo, Settings
from .types import (
    Account,
    AuthMethod,
    CheckoutUrl,
    CreatedVouchers,
    Delivery,
    DeliveryStatus,
    PostbackConfiguration,
    PostbackRequestPage,
    PostbackTest,
    ReplayCount,
    ReplayedDeliveries,
    ReplayedDelivery,
    ReplayStatus,
    Revocation,
    RevocationReason,
    Sale,
    SaleStatus,
    SigningSecret,
    Statistics,
    StatisticsPeriod,
    Voucher,
    VoucherGroup,
    VoucherStatus,
)


class Tandem:
    """A client of the partner API. One client is enough for a process. Close the client, or use it in a ``with`` block.

    tandem = Tandem(token=os.environ["TANDEM_TOKEN"], base_url="https://api.example.com")
    checkout_url = tandem.checkout.create_url(ref_id="order-1")["checkoutUrl"]
    """

    def __init__(
        self,
        *,
        token: str,
        base_url: str,
        timeout: float = 20,
        deadline: float = 60,
        max_retries: int = 3,
        on_request: Optional[Callable[[RequestInfo], None]] = None,
        on_response: Optional[Callable[[ResponseInfo], None]] = None,
        http_client: Optional[httpx.Client] = None,
        _pace: Optional[Pace] = None,
    ) -> None:
        """
        token: ``ptk_live_…`` or ``ptk_test_…``. Keep the token on your servers.
        base_url: scheme and host of the platform.
        timeout: seconds that each phase of an attempt may take: connecting, sending, waiting for bytes.
        deadline: seconds from the start of a call. After this time, the call is not repeated.
        max_retries: the maximum number of retries of a request, where a retry is safe.
        on_request, on_response: called before and after each attempt. An exception that they raise ends the call.
        http_client: replaces the client of httpx, for example to use a proxy. You must close it yourself.
        """
        self._settings = Settings(token, base_url, timeout, deadline, max_retries, on_request, on_response)
        self._pace = _pace or Pace()
        self._own_http = httpx.Client() if http_client is None else None
        self._http = http_client or cast(httpx.Client, self._own_http)
        self.account = AccountResource(self)
        self.checkout = CheckoutResource(self)
        self.sales = SalesResource(self)
        self.statistics = StatisticsResource(self)
        self.vouchers = VouchersResource(self)
        self.postback = PostbackResource(self)
        self.deliveries = DeliveriesResource(self)

    def __enter__(self) -> Tandem:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._own_http:
            self._own_http.close()

    def _send(self, call: Call, options: Optional[CallOptions]) -> Any:
        exchange = Exchange(call, self._settings, self._pace, options)
        while True:
            arguments = exchange.request()
            outcome: Union[httpx.Response, httpx.RequestError]
            # The hooks run outside the `try`, because an error of httpx that a hook raises must not repeat the request.
            try:
                outcome = self._http.request(**arguments)
            except httpx.RequestError as error:
                outcome = error
            wait = exchange.wait_after(outcome)
            if wait is None:
                return exchange.value
            self._pace.sleep(wait)

    def _items(self, call: Call, options: Optional[CallOptions]) -> Iterator[Any]:
        """Reads a list page by page. A page is read when all items of the previous page have been used."""
        following: Optional[Call] = call
        while following is not None:
            page = self._send(following, options)
            for item in page["items"]:
                yield item
            following = calls.next_page(following, page)


class AccountResource:
    def __init__(self, client: Tandem) -> None:
        self._client = client

    def get(self, *, options: Optional[CallOptions] = None) -> Account:
        """Returns the account of the token, with its environment and scopes."""
        return cast(Account, self._client._send(calls.read("/account"), options))


class CheckoutResource:
    def __init__(self, client: Tandem) -> None:
        self._client = client

    def create_url(
        self,
        *,
        ref_id: Optional[str] = None,
        plan: Optional[str] = None,
        currency: Optional[str] = None,
        locale: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CheckoutUrl:
        """Returns a URL for one customer. The postback returns ``ref_id`` as ``sharedId``."""
        call = calls.create_checkout_url(ref_id, plan, currency, locale)
        return cast(CheckoutUrl, self._client._send(call, options))


class SalesResource:
    def __init__(self, client: Tandem) -> None:
        self._client = client

    def list(
        self,
        *,
        status: Optional[SaleStatus] = None,
        ref_id: Optional[str] = None,
        from_: Optional[Time] = None,
        to: Optional[Time] = None,
        limit: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Sale]:
        """Lists your sales in every state, newest first. ``limit`` is the size of a page."""
        return self._client._items(calls.list_sales(status, ref_id, from_, to, limit), options)

    def get(self, oid: str, *, options: Optional[CallOptions] = None) -> Sale:
        return cast(Sale, self._client._send(calls.get_sale(oid), options))

    def revoke(
        self,
        oid: str,
        *,
        reason: Optional[RevocationReason] = None,
        note: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Revocation:
        """Withdraws a sale. A repeated call returns the first answer. Raises ConflictError when the sale cannot be revoked."""
        return cast(Revocation, self._client._send(calls.revoke_sale(oid, reason, note), options))


class StatisticsResource:
    def __init__(self, client: Tandem) -> None:
        self._client = client

    def get(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        by: Optional[StatisticsPeriod] = None,
        time_zone: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Statistics:
        """Returns the figures of your sales, postbacks and vouchers. ``from_`` and ``to`` are dates, such as 2026-03-01."""
        return cast(Statistics, self._client._send(calls.get_statistics(from_, to, by, time_zone), options))


class VouchersResource:
    def __init__(self, client: Tandem) -> None:
        self._client = client

    def groups(self, *, options: Optional[CallOptions] = None) -> List[VoucherGroup]:
        """Returns the groups of the account that are active and have not expired."""
        answer = self._client._send(calls.read("/subscription/voucher-group"), options)
        return cast(List[VoucherGroup], answer["items"])

    def list(
        self,
        group: str,
        *,
        status: Optional[VoucherStatus] = None,
        limit: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Voucher]:
        """Lists the codes of a group, newest first. ``limit`` is the size of a page."""
        return self._client._items(calls.list_vouchers(group, status, limit), options)

    def create(
        self,
        group: str,
        *,
        count: Optional[int] = None,
        idempotency_key: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CreatedVouchers:
        """Creates 1 to 500 codes, by default 10: all of them, or none. Retries carry the same idempotency key, so they create no further codes.

        If your process may be restarted before it repeats a call, pass a key that is stored with your order.
        """
        return cast(CreatedVouchers, self._client._send(calls.create_vouchers(group, count, idempotency_key), options))


class PostbackResource:
    """The calls for the configuration of the endpoint to which sales are reported. Test tokens and live tokens have one configuration each."""

    def __init__(self, client: Tandem) -> None:
        self._client = client

    def get(self, *, options: Optional[CallOptions] = None) -> PostbackConfiguration:
        return cast(PostbackConfiguration, self._client._send(calls.read("/postback"), options))

    def save(
        self,
        *,
        url: str,
        auth_method: AuthMethod,
        key: Optional[str] = None,
        notify_closures: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> PostbackConfiguration:
        """Saves the configuration and enables it. Only the first save returns the ``signingSecret``."""
        call = calls.save_postback(url, auth_method, key, notify_closures)
        return cast(PostbackConfiguration, self._client._send(call, options))

    def rotate_secret(self, *, options: Optional[CallOptions] = None) -> SigningSecret:
        """Creates a signing secret. For 24 hours, postbacks are signed with the old and the new secret: verify with both."""
        return cast(SigningSecret, self._client._send(calls.rotate_secret(), options))

    def test(self, *, options: Optional[CallOptions] = None) -> PostbackTest:
        """Sends a sample, with an ``oid`` that begins with ``test_``, to your endpoint, and returns the endpoint's answer."""
        return cast(PostbackTest, self._client._send(calls.test_postback(), options))

    def listen(
        self,
        *,
        cursor: Optional[str] = None,
        since: Optional[Time] = None,
        limit: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> PostbackRequestPage:
        """Reads the postbacks and notices of test sales, oldest first, whether or not you have an endpoint; for test tokens only.

        Pass ``nextCursor`` of one page as ``cursor`` of the next call, so that you get each postback or notice once.
        """
        return cast(PostbackRequestPage, self._client._send(calls.listen(cursor, since, limit), options))


class DeliveriesResource:
    """The calls for deliveries: the postbacks and notices that were sent, or are to be sent."""

    def __init__(self, client: Tandem) -> None:
        self._client = client

    def list(
        self,
        *,
        status: Optional[DeliveryStatus] = None,
        failing: Optional[bool] = None,
        oid: Optional[str] = None,
        ref_id: Optional[str] = None,
        limit: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Delivery]:
        """Lists the deliveries of the last 90 days, newest first. ``limit`` is the size of a page.

        ``failing``: with True, only the deliveries that are failing now: an attempt has failed, and they will be retried.
        """
        return self._client._items(calls.list_deliveries(status, failing, oid, ref_id, limit), options)

    def replay(self, delivery_id: str, *, options: Optional[CallOptions] = None) -> ReplayedDelivery:
        """Sends a delivery again, with the same ``webhook-id``."""
        return cast(ReplayedDelivery, self._client._send(calls.replay_delivery(delivery_id), options))

    def count_replay(
        self,
        *,
        from_: Time,
        to: Time,
        status: Optional[ReplayStatus] = None,
        options: Optional[CallOptions] = None,
    ) -> ReplayCount:
        """Counts the deliveries that ``replay_range`` would send now for the same range, and sends nothing. Works without an endpoint too."""
        return cast(ReplayCount, self._client._send(calls.count_replay(from_, to, status), options))

    def replay_range(
        self,
        *,
        from_: Time,
        to: Time,
        status: Optional[ReplayStatus] = None,
        options: Optional[CallOptions] = None,
    ) -> ReplayedDeliveries:
        """Sends the deliveries of a time range again.

        ``status`` selects the deliveries; ``all`` selects those that failed, are held or were delivered. Without a status, the deliveries
        that failed or are held are sent. Postbacks of sales that were refunded or charged back are left out.
        """
        return cast(ReplayedDeliveries, self._client._send(calls.replay_range(from_, to, status), options))
