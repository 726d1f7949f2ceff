import type { CallOptions } from '../../../sdks/typescript/options.ts';
import { type Pace, REAL_PACE } from '../../../sdks/typescript/pace.ts';
import { type TandemOptions, transportOf } from './options.ts';
import { Deliveries, PostbackSetup } from './postback-setup.ts';
import { Sales } from './sales.ts';
import type { Account, CheckoutOptions, CheckoutUrl, Statistics, StatisticsOptions } from './types.ts';
import { Vouchers } from './vouchers.ts';

/**
 * A client of the partner API. A client keeps no state between calls, so one client is enough for a process.
 *
 *     const tandem = new Tandem({ token: process.env.TANDEM_TOKEN ?? '', baseUrl: 'https://api.example.com' });
 *     const { checkoutUrl } = await tandem.checkout.createUrl({ refId: 'order-1' });
 */
export class Tandem {
  readonly account: { get(options?: CallOptions): Promise<Account> };
  readonly checkout: { createUrl(fields?: CheckoutOptions, options?: CallOptions): Promise<CheckoutUrl> };
  readonly sales: Sales;
  readonly statistics: { get(fields?: StatisticsOptions, options?: CallOptions): Promise<Statistics> };
  readonly vouchers: Vouchers;
  readonly postback: PostbackSetup;
  readonly deliveries: Deliveries;

  /** @param pace replaced only in tests of the client itself */
  constructor(options: TandemOptions, pace: Pace = REAL_PACE) {
    const transport = transportOf(options, pace);
    const get = <T>(path: string, query: Record<string, unknown>, call?: CallOptions): Promise<T> =>
      transport.send<T>({ method: 'GET', path, query, repeatable: 'always' }, call);
    this.account = { get: (call) => get('/account', {}, call) };
    this.checkout = {
      createUrl: ({ refId, ...rest } = {}, call) =>
        get('/subscription/create-checkout-url', { ref_id: refId, ...rest }, call),
    };
    this.statistics = { get: (fields = {}, call) => get('/statistics', fields, call) };
    this.sales = new Sales(transport);
    this.vouchers = new Vouchers(transport);
    this.postback = new PostbackSetup(transport);
    this.deliveries = new Deliveries(transport);
  }
}
