"""The samples of the partner API in Python. Each region except `client` is the sample of the operation with the same name."""

# The reference shows this region before each sample.
# region client
import os

from tandem_partner import Tandem

tandem = Tandem(token=os.environ["TANDEM_TOKEN"], base_url="https://api.example.com")
# endregion


def samples() -> None:
    # region createCheckoutUrl
    checkout = tandem.checkout.create_url(ref_id="order-1")
    print(checkout["checkoutUrl"], checkout["expiresAt"])
    # endregion

    # region revokeSale
    revocation = tandem.sales.revoke("sub-1001", reason="returned", note="Sent back unopened")
    print(revocation)
    # endregion

    # region listSales
    # The loop reads the next page when it needs one.
    for sale in tandem.sales.list(status="qualified"):
        print(sale["oid"], sale["amount"])
    # endregion

    # region getSale
    sale = tandem.sales.get("sub-1001")
    print(sale["status"])
    # endregion

    # region getStatistics
    statistics = tandem.statistics.get(from_="2026-03-01", to="2026-03-31", by="week")
    print(statistics["totals"])
    # endregion

    # region getPostback
    configuration = tandem.postback.get()
    print(configuration["url"])
    # endregion

    # region savePostback
    saved = tandem.postback.save(
        url="https://partner.example.com/sales",
        auth_method="Bearer",
        key="a-key-of-your-own",
    )
    # Only the first save returns the signing secret: store it.
    print(saved.get("signingSecret"))
    # endregion

    # region testPostback
    test = tandem.postback.test()
    print(test)
    # endregion

    # region rotateSigningSecret
    secret = tandem.postback.rotate_secret()
    print(secret["signingSecret"])
    # endregion

    # region listDeliveries
    for delivery in tandem.deliveries.list(status="failed"):
        print(delivery["id"], delivery["oid"])
    # endregion

    # region countReplay
    to_replay = tandem.deliveries.count_replay(from_="2026-03-01T00:00:00Z", to="2026-03-02T00:00:00Z")
    print(to_replay["count"])
    # endregion

    # region replayDeliveries
    replayed = tandem.deliveries.replay_range(from_="2026-03-01T00:00:00Z", to="2026-03-02T00:00:00Z")
    print(replayed)
    # endregion

    # region replayDelivery
    tandem.deliveries.replay("7c9e6679-7425-40de-944b-e07fc1f90ae7")
    # endregion

    # region listVoucherGroups
    for group in tandem.vouchers.groups():
        print(group["id"], group["name"])
    # endregion

    # region listVouchers
    for voucher in tandem.vouchers.list("7c9e6679-7425-40de-944b-e07fc1f90ae7"):
        print(voucher["code"])
    # endregion

    # region createVouchers
    created = tandem.vouchers.create(
        "7c9e6679-7425-40de-944b-e07fc1f90ae7",
        count=20,
        # Store the key with your order: for 24 hours, a repeated request with the same key creates no further codes.
        idempotency_key="order-1",
    )
    print(len(created["items"]))
    # endregion

    # region getAccount
    account = tandem.account.get()
    print(account)
    # endregion
