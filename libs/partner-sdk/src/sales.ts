import type { CallOptions } from '../../../sdks/typescript/options.ts';
import { itemsOf, segment } from './pages.ts';
import type { Transport } from '../../../sdks/typescript/transport.ts';
import type { Revocation, RevocationOptions, Sale, SaleFilter } from './types.ts';

export class Sales {
  constructor(private readonly transport: Transport) {}

  /** Lists your sales in every state, newest first. */
  list(filter: SaleFilter = {}, options?: CallOptions): AsyncGenerator<Sale, void, undefined> {
    return itemsOf(this.transport, '/sales', filter, options);
  }

  /** @throws NotFoundError */
  async get(oid: string, options?: CallOptions): Promise<Sale> {
    return this.transport.send({ method: 'GET', path: `/sales/${segment(oid)}`, repeatable: 'always' }, options);
  }

  /**
   * Withdraws a sale. A repeated call returns the first answer.
   *
   * @throws ConflictError with `sale_not_revocable` or `revoke_window_closed`
   */
  revoke(oid: string, fields: RevocationOptions = {}, options?: CallOptions): Promise<Revocation> {
    const body = { subscriptionId: oid, ...fields };
    return this.transport.send({ method: 'PUT', path: '/subscription/revoke', body, repeatable: 'always' }, options);
  }
}
