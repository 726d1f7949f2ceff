import type { CallOptions } from '../../../sdks/typescript/options.ts';
import { itemsOf } from './pages.ts';
import type { Transport } from '../../../sdks/typescript/transport.ts';
import type { CreatedVouchers, Voucher, VoucherFilter, VoucherGroup, VoucherOrder } from './types.ts';
import { webCrypto } from './web-crypto.ts';

/** The platform creates only 10 codes when more than 500 are requested, so the client refuses such a request. */
const MAX_COUNT = 500;

export class Vouchers {
  constructor(private readonly transport: Transport) {}

  /** Returns the groups of the account that are active and have not expired. */
  async groups(options?: CallOptions): Promise<VoucherGroup[]> {
    const path = '/subscription/voucher-group';
    const list: { items: VoucherGroup[] } = await this.transport.send(
      { method: 'GET', path, repeatable: 'always' },
      options,
    );
    return list.items;
  }

  /** Lists the codes of a group, newest first. */
  list(group: string, filter: VoucherFilter = {}, options?: CallOptions): AsyncGenerator<Voucher, void, undefined> {
    return itemsOf(this.transport, '/subscription/vouchers', { voucherGroupId: group, ...filter }, options);
  }

  /**
   * Creates codes: all of them, or none. Retries carry the same idempotency key, so they create no further codes.
   *
   * @throws TypeError when `idempotencyKey` is not 1 to 255 visible ASCII characters
   * @throws RangeError when `count` is not a whole number from 1 to 500
   * @throws ConflictError with `insufficient_stock`
   */
  async create(group: string, order: VoucherOrder = {}, options?: CallOptions): Promise<CreatedVouchers> {
    const { count, idempotencyKey = webCrypto().randomUUID() } = order;
    if (typeof idempotencyKey !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey))
      throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters');
    if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= MAX_COUNT))
      throw new RangeError(`count must be a whole number from 1 to ${MAX_COUNT}`);
    return this.transport.send(
      {
        method: 'POST',
        path: '/subscription/vouchers',
        body: { voucherGroupId: group, count },
        headers: { 'idempotency-key': idempotencyKey },
        repeatable: 'always',
      },
      options,
    );
  }
}
