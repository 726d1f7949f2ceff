import { Injectable, Logger } from '@nestjs/common';
import { COUPON_REDEEMED, type CouponRedeemed, type PaymentReceived } from '@tandem/contracts';
import { type EventReference, Outbox, PermanentEventError, runInEvent, timedEventId } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import { StatisticsRepository } from '../statistics/statistics.repository';
import { type GroupOwner, VoucherGroupRepository } from '../voucher-group/voucher-group.repository';
import { CouponRepository, type RedeemedCoupon } from './coupon.repository';
import { type Redemption, redemptionOf, refusalReason } from './redemption.rules';

/** A payment event: its id, topic, key and trace, and its payload. */
export interface PaymentEvent extends EventReference {
  readonly data: PaymentReceived;
}

/** A log line about a payment with a coupon. The id and the trace of the payment's event are added when the line is written. */
export interface RedemptionOutcome {
  readonly event: PaymentEvent;
  readonly line: Readonly<Record<string, unknown>>;
}

interface Wanted extends Redemption {
  readonly event: PaymentEvent;
  readonly hash: Buffer;
}

/** Redeems the coupons to which payment events refer. */
@Injectable()
export class RedemptionService {
  private readonly logger = new Logger(RedemptionService.name);

  constructor(
    private readonly coupons: CouponRepository,
    private readonly groups: VoucherGroupRepository,
    private readonly statistics: StatisticsRepository,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Redeems the coupons to which these payments refer, in the transaction of `manager`. A redemption is final: a payment with the same coupon
   * that arrives in a later batch changes nothing, even if the customer made it earlier.
   *
   * @returns the log lines to write after the commit
   */
  async recordPayments(manager: EntityManager, events: readonly PaymentEvent[]): Promise<RedemptionOutcome[]> {
    const wanted = events.flatMap(wantedOf);
    if (wanted.length === 0) return [];
    const redeemed = await this.coupons.redeem(manager, wanted);
    const byPlace = new Map(redeemed.map((coupon) => [coupon.place, coupon]));
    const published = await this.publish(manager, wanted, redeemed);
    const refused = await this.explain(manager, wanted, byPlace);
    return [...published, ...refused];
  }

  /** Writes the log lines of a committed batch. */
  log(outcomes: readonly RedemptionOutcome[]): void {
    for (const { event, line } of outcomes) runInEvent(event, () => this.logger.log(line));
  }

  /**
   * Adds the redeemed coupons to the counts of their groups and to the statistics, and publishes their events in the order of the payments.
   * @returns the log lines about the redeemed coupons
   */
  private async publish(
    manager: EntityManager,
    wanted: readonly Wanted[],
    redeemed: readonly RedeemedCoupon[],
  ): Promise<RedemptionOutcome[]> {
    if (redeemed.length === 0) return [];
    const counts = new Map<string, number>();
    for (const { groupId } of redeemed) counts.set(groupId, (counts.get(groupId) ?? 0) + 1);
    const owners = await this.groups.countRedemptions(manager, counts);
    const made = [...redeemed]
      .sort((one, other) => one.place - other.place)
      .map((coupon) => {
        const by = wanted[coupon.place] as Wanted;
        return { event: by.event, data: redeemedEvent(coupon, by, owners.get(coupon.groupId)) };
      });
    await this.statistics.countRedeemed(
      manager,
      made.map(({ data }) => data),
    );
    await this.outbox.addMany(
      manager,
      COUPON_REDEEMED,
      made.map(({ event, data }) => ({
        // The id is derived from the redemption. If the payment redeems the coupon again after a restore from a backup, the new event
        // therefore has the same id as the first event, and consumers recognize the duplicate.
        id: timedEventId(new Date(data.redeemedAt), COUPON_REDEEMED.topic, data.couponId),
        data,
        traceparent: event.traceparent,
      })),
    );
    return made.map(({ event, data: { couponId, partnerId, subscriptionId } }) => ({
      event,
      line: { msg: 'coupon redeemed', couponId, partnerId, subscriptionId },
    }));
  }

  /**
   * Returns the log lines with the reasons why coupons were not redeemed. A code is a secret, so a line contains only the code's last four
   * characters, and no part of the code if the coupon is unknown.
   */
  private async explain(
    manager: EntityManager,
    wanted: readonly Wanted[],
    byPlace: ReadonlyMap<number, RedeemedCoupon>,
  ): Promise<RedemptionOutcome[]> {
    const places = wanted.map((_, place) => place).filter((place) => !byPlace.has(place));
    if (places.length === 0) return [];
    const hashes = places.map((place) => (wanted[place] as Wanted).hash);
    const states = await this.coupons.findStates(manager, hashes);
    const stateOf = new Map(states.map((state) => [state.hash.toString('hex'), state]));
    const winners = new Map([...byPlace.keys()].map((place) => [(wanted[place] as Wanted).couponHash, place]));
    return places.map((place) => {
      const one = wanted[place] as Wanted;
      const state = stateOf.get(one.couponHash);
      const reason = refusalReason(state, one, (winners.get(one.couponHash) ?? -1) > place);
      const { paymentId, subscriptionId } = one.event.data;
      const codeLast4 = state ? { codeLast4: state.codeLast4 } : {};
      return {
        event: one.event,
        line: { msg: 'coupon not redeemed', reason, ...codeLast4, paymentId, subscriptionId },
      };
    });
  }
}

function wantedOf(event: PaymentEvent): Wanted[] {
  const redemption = redemptionOf(event.data);
  if (!redemption) return [];
  if (Number.isNaN(redemption.at.getTime())) {
    throw new PermanentEventError(`The redemption of payment ${event.data.paymentId} has no valid time`);
  }
  return [{ ...redemption, event, hash: Buffer.from(redemption.couponHash, 'hex') }];
}

function redeemedEvent(coupon: RedeemedCoupon, by: Wanted, owner: GroupOwner | undefined): CouponRedeemed {
  if (!owner) throw new Error(`The voucher group ${coupon.groupId} of a coupon is missing`);
  return {
    voucherGroupId: coupon.groupId,
    batchId: coupon.batchId,
    ...owner,
    couponId: coupon.id,
    codeLast4: coupon.code.slice(-4),
    subscriptionId: by.subscriptionId,
    redeemedAt: by.at.toISOString(),
  };
}
