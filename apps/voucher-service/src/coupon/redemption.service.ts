import { Injectable, Logger } from '@nestjs/common';
import { COUPON_REDEEMED, type PaymentReceived } from '@tandem/contracts';
import { Outbox, PermanentEventError } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import { VoucherGroupRepository } from '../voucher-group/voucher-group.repository';
import { storedCode } from './coupon-code';
import { CouponRepository } from './coupon.repository';
import { type Redemption, redemptionOf } from './redemption.rules';

/** Turns payments with a coupon into redemptions. */
@Injectable()
export class RedemptionService {
  private readonly logger = new Logger(RedemptionService.name);

  constructor(
    private readonly coupons: CouponRepository,
    private readonly groups: VoucherGroupRepository,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Redeems the coupon of a payment, if it has one, in the transaction of `manager`. It happens once: a redemption is final, and
   * what comes after changes nothing, whatever its time.
   */
  async recordPayment(manager: EntityManager, event: PaymentReceived): Promise<void> {
    const redemption = redemptionOf(event);
    if (!redemption) return;
    if (Number.isNaN(redemption.at.getTime())) {
      throw new PermanentEventError(`The redemption of ${event.paymentId} has no time`);
    }
    const code = storedCode(redemption.code);
    if (code === null) return this.ignore(event, { reason: 'unknown' });
    await this.redeem(manager, event, { ...redemption, code });
  }

  private async redeem(manager: EntityManager, event: PaymentReceived, redemption: Redemption): Promise<void> {
    const { code, at, subscriptionId } = redemption;
    const codeLast4 = code.slice(-4);
    const coupon = await this.coupons.redeem(manager, redemption);
    if (!coupon) return this.ignore(event, { reason: await this.findReason(manager, redemption), codeLast4 });
    const { partnerId, environment } = await this.groups.countRedemption(manager, coupon.groupId);
    await this.outbox.add(manager, COUPON_REDEEMED, {
      voucherGroupId: coupon.groupId,
      batchId: coupon.batchId,
      partnerId,
      environment,
      couponId: coupon.id,
      codeLast4,
      subscriptionId,
      redeemedAt: at.toISOString(),
    });
    this.logger.log({ msg: 'coupon redeemed', couponId: coupon.id, partnerId, subscriptionId });
  }

  private async findReason(manager: EntityManager, { code, subscriptionId }: Redemption): Promise<string> {
    const state = await this.coupons.findState(manager, code);
    if (!state) return 'unknown';
    if (state.status === 'active') return 'expired';
    if (state.status === 'revoked') return 'revoked';
    return state.subscriptionId === subscriptionId ? 'repeated' : 'redeemed before';
  }

  /** A code is a secret: what is logged of it is what support needs to find it. */
  private ignore(event: PaymentReceived, why: { reason: string; codeLast4?: string }): void {
    const { paymentId, subscriptionId } = event;
    this.logger.log({ msg: 'coupon not redeemed', ...why, paymentId, subscriptionId });
  }
}
