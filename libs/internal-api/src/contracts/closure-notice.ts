import { createHash } from 'node:crypto';
import type { Environment, SaleClosing } from '@tandem/contracts';

/**
 * Returns the id of the notice that a sale was refunded or charged back. The id is a hash of the arguments, so the
 * notices of a refund and of a chargeback of one sale have different ids. A notice that is added again after a restore
 * from a backup has the same id as before. postback-dispatcher computes the same hash in SQL.
 */
export function closureNoticeId(environment: Environment, oid: string, closing: SaleClosing): string {
  const hash = createHash('sha256').update(['closure', environment, oid, closing].join(':')).digest('hex');
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
