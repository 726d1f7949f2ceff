/** The samples of the partner API in TypeScript. Each region except `client` is the sample of the operation with the same name. */
import { Tandem } from '@tandem/partner';

declare const process: { readonly env: { readonly TANDEM_TOKEN?: string } };

// The reference shows this region before each sample.
// #region client
const tandem = new Tandem({ token: process.env.TANDEM_TOKEN ?? '', baseUrl: 'https://api.example.com' });
// #endregion

export async function samples(): Promise<void> {
  // #region createCheckoutUrl
  const { checkoutUrl, expiresAt } = await tandem.checkout.createUrl({ refId: 'order-1' });
  console.log(checkoutUrl, expiresAt);
  // #endregion

  // #region revokeSale
  const revocation = await tandem.sales.revoke('sub-1001', { reason: 'returned', note: 'Sent back unopened' });
  console.log(revocation);
  // #endregion

  // #region listSales
  // The loop reads the next page when it needs one.
  for await (const sale of tandem.sales.list({ status: 'qualified' })) console.log(sale.oid, sale.amount);
  // #endregion

  // #region getSale
  const sale = await tandem.sales.get('sub-1001');
  console.log(sale.status);
  // #endregion

  // #region getStatistics
  const statistics = await tandem.statistics.get({ from: '2026-03-01', to: '2026-03-31', by: 'week' });
  console.log(statistics.totals);
  // #endregion

  // #region getPostback
  const configuration = await tandem.postback.get();
  console.log(configuration.url);
  // #endregion

  // #region savePostback
  const saved = await tandem.postback.save({
    url: 'https://partner.example.com/sales',
    authMethod: 'Bearer',
    key: 'a-key-of-your-own',
  });
  // Only the first save returns the signing secret: store it.
  console.log(saved.signingSecret);
  // #endregion

  // #region testPostback
  const test = await tandem.postback.test();
  console.log(test);
  // #endregion

  // #region rotateSigningSecret
  const { signingSecret } = await tandem.postback.rotateSecret();
  console.log(signingSecret);
  // #endregion

  // #region listDeliveries
  for await (const delivery of tandem.deliveries.list({ status: 'failed' })) console.log(delivery.id, delivery.oid);
  // #endregion

  // #region countReplay
  const toReplay = await tandem.deliveries.countReplay({ from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' });
  console.log(toReplay.count);
  // #endregion

  // #region replayDeliveries
  const replayed = await tandem.deliveries.replayRange({ from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' });
  console.log(replayed);
  // #endregion

  // #region replayDelivery
  await tandem.deliveries.replay('7c9e6679-7425-40de-944b-e07fc1f90ae7');
  // #endregion

  // #region listVoucherGroups
  for (const group of await tandem.vouchers.groups()) console.log(group.id, group.name);
  // #endregion

  // #region listVouchers
  for await (const voucher of tandem.vouchers.list('7c9e6679-7425-40de-944b-e07fc1f90ae7')) console.log(voucher.code);
  // #endregion

  // #region createVouchers
  const { items } = await tandem.vouchers.create('7c9e6679-7425-40de-944b-e07fc1f90ae7', {
    count: 20,
    // Store the key with your order: for 24 hours, a repeated request with the same key creates no further codes.
    idempotencyKey: 'order-1',
  });
  console.log(items.length);
  // #endregion

  // #region getAccount
  const account = await tandem.account.get();
  console.log(account);
  // #endregion
}
