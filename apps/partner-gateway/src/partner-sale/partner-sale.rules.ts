import { type FieldProblem, timeOf } from '@tandem/http-api';
import type { SalePostback } from '@tandem/internal-api';
import type { Sale } from '../sale/sale.entity';
import type { PartnerSale, PartnerSaleFilterQuery, PartnerSaleStatus, PostbackOfSale } from './partner-sale.dto';

/** Selects the sales to list. A property that is null does not restrict the list. */
export interface PartnerSaleFilter {
  readonly status: PartnerSaleStatus | null;
  readonly refId: string | null;
  readonly from: Date | null;
  /** The end of the range of sale times; a sale at exactly this time is not included. */
  readonly to: Date | null;
}

/**
 * Converts a query to a filter. Each field must already be valid on its own.
 *
 * @returns the filter, or a problem for each combination of fields that is not allowed
 */
export function filterOf({ status, refId, from, to }: PartnerSaleFilterQuery): PartnerSaleFilter | FieldProblem[] {
  const filter = {
    status: status ?? null,
    refId: refId ?? null,
    from: from === undefined ? null : timeOf(from),
    to: to === undefined ? null : timeOf(to),
  };
  if (filter.from && filter.to && filter.from >= filter.to) {
    return [{ field: 'to', message: 'to must be later than from' }];
  }
  return filter;
}

/** Shown as the postback of a sale while the delivery log cannot be read. */
const UNKNOWN: PostbackOfSale = {
  id: null,
  status: 'unknown',
  attempts: null,
  deliveredAt: null,
  nextAttemptAt: null,
  error: null,
};

/**
 * Returns a sale as its partner sees it.
 *
 * @param postback undefined if the delivery log could not be read; null if the log has no postback of this sale
 */
export function viewOf(sale: Sale, postback: SalePostback | null | undefined): PartnerSale {
  return {
    oid: sale.oid,
    refId: sale.sharedId || null,
    status: sale.status as PartnerSaleStatus,
    reason: reasonOf(sale),
    currency: sale.currency,
    amount: sale.amount,
    items: sale.items,
    emailMasked: sale.emailMasked,
    soldAt: sale.soldAt,
    qualifiedAt: sale.qualifiedAt,
    revokedAt: sale.revokedAt,
    closedAt: closedAtOf(sale),
    postback: postback === undefined ? unreadPostbackOf(sale) : postback && stateOf(postback),
  };
}

/**
 * Returns the postback to show while the delivery log cannot be read: `unknown` for a sale that has qualified. Other sales have no
 * postback.
 */
const unreadPostbackOf = ({ qualifiedAt }: Sale): PostbackOfSale | null => (qualifiedAt === null ? null : UNKNOWN);

const stateOf = ({ id, status, attempts, deliveredAt, nextAttemptAt, error }: SalePostback): PostbackOfSale => ({
  id,
  status,
  attempts,
  deliveredAt,
  nextAttemptAt,
  error,
});

/**
 * Returns when a sale with the status `refunded` or `charged_back` was closed, and null for any other sale: for example, for a revoked sale
 * that was refunded later, and for a subscription that was bought again after its refund.
 */
export const closedAtOf = ({ status, closedAt }: Pick<Sale, 'status' | 'closedAt'>): Date | null =>
  status === 'refunded' || status === 'charged_back' ? closedAt : null;

/** Returns why a sale is held, has failed or was revoked, and null for any other sale. */
export function reasonOf({
  status,
  holdReason,
  failureReason,
  revokeReason,
}: Pick<Sale, 'status' | 'holdReason' | 'failureReason' | 'revokeReason'>): string | null {
  if (status === 'held') return holdReason;
  if (status === 'failed') return failureReason;
  return status === 'revoked' ? revokeReason : null;
}
