import { Injectable, Logger } from '@nestjs/common';
import { type RevokeReason, SALE_REVOKED } from '@tandem/contracts';
import { Outbox } from '@tandem/messaging';
import type { AuthenticatedPartner } from '../token/token.repository';
import type { Revocation } from './sale.dto';
import type { Sale } from './sale.entity';
import { RevokeWindowClosedError, SaleNotRevocableError, SubscriptionNotFoundError } from './sale.errors';
import { SaleRepository } from './sale.repository';
import { isRevokeWindowClosed, saleEventId } from './sale.rules';

export interface WantedRevocation {
  readonly subscriptionId: string;
  readonly reason: RevokeReason;
  readonly note: string | null;
}

@Injectable()
export class SaleRevokeService {
  private readonly logger = new Logger(SaleRevokeService.name);

  constructor(
    private readonly sales: SaleRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Revokes a qualified sale once. A repeated call returns the same answer as the first call. */
  async revokeSale(partner: AuthenticatedPartner, wanted: WantedRevocation, now: Date): Promise<Revocation> {
    const { sale, isNew } = await this.revoke(partner, wanted, now);
    if (isNew) {
      const { oid, partnerId, status: to } = sale;
      this.logger.log({ msg: 'sale changed', oid, partnerId, from: 'qualified', to, reason: wanted.reason });
    }
    return revocationOf(sale);
  }

  private async revoke(
    partner: AuthenticatedPartner,
    wanted: WantedRevocation,
    now: Date,
  ): Promise<{ sale: Sale; isNew: boolean }> {
    return this.outbox.transaction(async (manager) => {
      const sale = await this.sales.findOwnForUpdate(manager, partner, wanted.subscriptionId);
      if (!sale) throw new SubscriptionNotFoundError();
      if (sale.status === 'revoked') return { sale, isNew: false };
      if (sale.status !== 'qualified' || sale.soldAt === null) throw new SaleNotRevocableError(sale.status);
      if (isRevokeWindowClosed(sale.soldAt, partner.revokeWindowDays, now)) {
        throw new RevokeWindowClosedError(partner.revokeWindowDays);
      }
      const revoked: Sale = {
        ...sale,
        status: 'revoked',
        revokedAt: now,
        revokeReason: wanted.reason,
        revokeNote: wanted.note,
        version: sale.version + 1,
      };
      await this.sales.save(manager, [{ before: sale, after: revoked }]);
      const { revokedAt, reason } = revocationOf(revoked);
      const { partnerId, environment } = partner;
      const event = { oid: sale.oid, partnerId, environment, reason, revokedAt };
      const id = saleEventId(SALE_REVOKED.topic, sale.oid, sale.soldAt.toISOString());
      await this.outbox.add(manager, SALE_REVOKED, event, { id, version: revoked.version });
      return { sale: revoked, isNew: true };
    });
  }
}

function revocationOf({ oid, revokedAt, revokeReason }: Sale): Revocation {
  if (revokedAt === null || revokeReason === null) throw new Error(`The revoked sale ${oid} has no time or reason`);
  return { subscriptionId: oid, status: 'revoked', revokedAt: revokedAt.toISOString(), reason: revokeReason };
}
