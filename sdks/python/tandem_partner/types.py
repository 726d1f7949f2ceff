"""The answers of the API, as typed dictionaries. Each dictionary follows a schema of the OpenAPI document; the API may add fields at any time."""
from __future__ import annotations

from typing import List, Literal, Optional, TypedDict

Scope = Literal[
    "checkout:create",
    "sales:read",
    "sales:revoke",
    "postback:read",
    "postback:write",
    "postback:listen",
    "vouchers:read",
    "vouchers:create",
]
SaleStatus = Literal["pending", "held", "qualified", "failed", "revoked", "refunded", "charged_back"]
RevocationReason = Literal["customer_request", "returned", "fraud", "order_error", "duplicate", "terms_violation", "other"]
StatisticsPeriod = Literal["day", "week", "month"]
VoucherStatus = Literal["active", "redeemed", "expired", "revoked"]
AuthMethod = Literal["Bearer", "Basic"]
DeliveryKind = Literal["sale", "closure"]
DeliveryStatus = Literal["pending", "delivered", "failed", "held"]
#: ``all``: failed, held and delivered.
ReplayStatus = Literal["pending", "delivered", "failed", "held", "all"]


class Account(TypedDict):
    id: str
    name: str
    integrationKind: Literal["promotion", "voucher"]
    environment: Literal["live", "test"]
    scopes: List[Scope]
    revokeWindowDays: int


class CheckoutDiscount(TypedDict):
    id: str
    percentOff: int


class CheckoutUrl(TypedDict):
    checkoutUrl: str
    refId: Optional[str]
    discount: CheckoutDiscount
    expiresAt: str


class SaleItem(TypedDict):
    price: str
    quantity: str
    category: str
    tier: str
    sku: Literal["Sell"]


class PostbackOfSale(TypedDict):
    deliveredAt: Optional[str]
    nextAttemptAt: Optional[str]
    error: Optional[str]
    id: Optional[str]
    status: Literal["pending", "delivered", "failed", "held", "unknown"]
    attempts: Optional[int]


class Sale(TypedDict):
    oid: str
    soldAt: Optional[str]
    amount: Optional[str]
    currency: Optional[str]
    items: Optional[List[SaleItem]]
    emailMasked: Optional[str]
    qualifiedAt: Optional[str]
    revokedAt: Optional[str]
    refId: Optional[str]
    status: SaleStatus
    reason: Optional[str]
    closedAt: Optional[str]
    postback: Optional[PostbackOfSale]


class Revocation(TypedDict):
    subscriptionId: str
    status: Literal["revoked"]
    revokedAt: str
    reason: RevocationReason


class SaleFigures(TypedDict):
    currency: str
    sales: int
    amount: str
    held: int
    revoked: int
    revokedAmount: str
    refunded: int
    refundedAmount: str
    chargedBack: int
    chargedBackAmount: str
    netAmount: str


class PeriodFigures(TypedDict):
    currency: str
    sales: int
    amount: str
    held: int
    revoked: int
    revokedAmount: str
    refunded: int
    refundedAmount: str
    chargedBack: int
    chargedBackAmount: str
    netAmount: str
    start: str


class FirstAttemptFigures(TypedDict):
    averageMs: Optional[int]
    p95Ms: Optional[int]


class PostbackFigures(TypedDict):
    delivered: int
    failed: int
    firstAttempt: FirstAttemptFigures


class VoucherFigures(TypedDict):
    created: int
    redeemed: int


# Uses the functional form, because a class cannot have a field named `from`.
Statistics = TypedDict(
    "Statistics",
    {
        "from": str,
        "to": str,
        "by": StatisticsPeriod,
        "timeZone": str,
        "totals": List[SaleFigures],
        "items": List[PeriodFigures],
        "postbacks": Optional[PostbackFigures],
        "vouchers": Optional[VoucherFigures],
    },
)


class VoucherProduct(TypedDict):
    name: str
    tier: str
    periodMonths: int


class VoucherGroup(TypedDict):
    id: str
    name: str
    status: Literal["active", "inactive"]
    product: VoucherProduct
    currency: str
    issued: int
    redeemed: int
    remaining: Optional[int]
    validFrom: str
    validUntil: Optional[str]
    createdAt: str


class Voucher(TypedDict):
    id: str
    code: str
    voucherGroupId: str
    status: VoucherStatus
    batchId: str
    createdAt: str
    expiresAt: Optional[str]
    redeemedAt: Optional[str]


class CreatedVouchers(TypedDict):
    batchId: str
    requestedCount: Optional[int]
    count: int
    items: List[Voucher]


class _RequiredPostbackConfiguration(TypedDict):
    url: str
    authMethod: AuthMethod
    hasKey: bool
    status: Literal["active", "disabled"]
    signingEnabled: bool
    notifyClosures: bool
    pausedUntil: Optional[str]
    createdAt: str
    updatedAt: str


class PostbackConfiguration(_RequiredPostbackConfiguration, total=False):
    disabledReason: str
    signingSecret: str


class PostbackTest(TypedDict):
    delivered: bool
    status: Optional[int]
    latencyMs: int
    error: Optional[str]
    response: Optional[str]


# Uses the functional form, because the names are not identifiers. Only ``x-environment`` and ``x-event`` may be missing.
PostbackRequestHeaders = TypedDict(
    "PostbackRequestHeaders",
    {"content-type": str, "user-agent": str, "webhook-id": str, "x-environment": str, "x-event": str},
    total=False,
)


class PostbackRequest(TypedDict):
    id: str
    kind: DeliveryKind
    oid: str
    createdAt: str
    headers: PostbackRequestHeaders
    body: str


class PostbackRequestPage(TypedDict):
    items: List[PostbackRequest]
    nextCursor: str
    hasMore: bool


class SigningSecret(TypedDict):
    signingSecret: str


class Attempt(TypedDict):
    number: int
    at: str
    status: Optional[int]
    latencyMs: int
    error: Optional[str]
    response: Optional[str]


class Delivery(TypedDict):
    id: str
    oid: str
    kind: DeliveryKind
    refId: Optional[str]
    status: DeliveryStatus
    createdAt: str
    deliveredAt: Optional[str]
    nextAttemptAt: Optional[str]
    error: Optional[str]
    attempts: List[Attempt]


class ReplayCount(TypedDict):
    count: int


class ReplayedDelivery(TypedDict):
    id: str


class ReplayedDeliveries(TypedDict):
    count: int


class PostbackItem(TypedDict):
    price: str
    quantity: str
    category: str
    tier: str
    sku: Literal["Sell"]


class Postback(TypedDict):
    oid: str
    sharedId: str
    emailMasked: str
    currency: str
    items: List[PostbackItem]


class SaleClosedNotice(TypedDict):
    event: Literal["sale.closed"]
    oid: str
    sharedId: str
    status: Literal["refunded", "charged_back"]
    at: str


class FieldProblem(TypedDict):
    field: str
    message: str
