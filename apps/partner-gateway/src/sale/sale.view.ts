import type { Environment, SaleItem } from '@tandem/contracts';
import type { UnattributedReason } from './attribution.rules';
import type { ClosedBy, PaymentStatus, Sale, SaleStatus } from './sale.entity';

/** What a manager sees of a sale. */
export interface SaleView {
  oid: string;
  status: SaleStatus;
  partnerId: string | null;
  promotionId: string | null;
  environment: Environment | null;
  sharedId: string | null;
  attributedBy: 'checkout' | 'code' | null;
  unattributedReason: UnattributedReason | null;
  paymentStatus: PaymentStatus | null;
  emailMasked: string | null;
  amount: string | null;
  currency: string | null;
  items: SaleItem[] | null;
  soldAt: string | null;
  closedBy: ClosedBy | null;
  closedAt: string | null;
  holdReason: string | null;
  holdDecision: string | null;
  failureReason: string | null;
  qualifiedAt: string | null;
  revokedAt: string | null;
  revokeReason: string | null;
  revokeNote: string | null;
}

export const viewOf = (sale: Sale): SaleView => ({
  oid: sale.oid,
  status: sale.status,
  partnerId: sale.partnerId,
  promotionId: sale.promotionId,
  environment: sale.environment,
  sharedId: sale.sharedId,
  attributedBy: sale.attributedBy,
  unattributedReason: sale.unattributedReason,
  paymentStatus: sale.paymentStatus,
  emailMasked: sale.emailMasked,
  amount: sale.amount,
  currency: sale.currency,
  items: sale.items,
  soldAt: sale.soldAt?.toISOString() ?? null,
  closedBy: sale.closedBy,
  closedAt: sale.closedAt?.toISOString() ?? null,
  holdReason: sale.holdReason,
  holdDecision: sale.holdDecision,
  failureReason: sale.failureReason,
  qualifiedAt: sale.qualifiedAt?.toISOString() ?? null,
  revokedAt: sale.revokedAt?.toISOString() ?? null,
  revokeReason: sale.revokeReason,
  revokeNote: sale.revokeNote,
});
