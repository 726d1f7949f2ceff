import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { COUPON_CREATED } from '@tandem/contracts';
import {
  type Caller,
  CouponCreationRunningError,
  type CreateCoupons,
  type CreatedCoupons,
  IdempotencyKeyReusedError,
  IdempotentCreationRunningError,
  InsufficientStockError,
  VoucherGroupNotFoundError,
} from '@tandem/internal-api';
import { isUniqueViolation } from '@tandem/database';
import { Outbox } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import { VoucherServiceConfig } from '../config';
import { type TakenStock, VoucherGroupRepository } from '../voucher-group/voucher-group.repository';
import { isGroupId } from '../voucher-group/voucher-group.rules';
import { type Batch, BatchRepository } from './batch.repository';
import { codeHash, CouponCodes } from './coupon-code';
import { CouponRepository } from './coupon.repository';
import { countOf } from './coupon.rules';
import { couponView } from './coupon.view';

export interface Creation {
  answer: CreatedCoupons;
  /** Whether `answer` repeats the answer to an earlier request with the same idempotency key. */
  replayed: boolean;
}

/**
 * The maximum number of times that one request draws codes. A request draws again if a drawn code is already in use, and fails after the
 * last draw. There are 2^80 possible codes, so if every draw collides, the cause is not chance, and another draw would not help.
 */
const DRAWS = 3;

/** Creates coupons. One transaction saves the batch, its coupons, its event and the idempotency key. */
@Injectable()
export class CouponCreationService {
  private readonly logger = new Logger(CouponCreationService.name);

  constructor(
    private readonly groups: VoucherGroupRepository,
    private readonly coupons: CouponRepository,
    private readonly batches: BatchRepository,
    private readonly codes: CouponCodes,
    private readonly outbox: Outbox,
    private readonly config: VoucherServiceConfig,
  ) {}

  async createCoupons(caller: Caller, wanted: CreateCoupons): Promise<Creation> {
    for (let draw = 1; ; draw += 1) {
      try {
        return await this.outbox.transaction((manager) => this.createOnce(manager, caller, wanted));
      } catch (error) {
        if (draw === DRAWS || !isUniqueViolation(error, 'coupon_code_key')) throw error;
        this.logger.warn({ msg: 'duplicate code drawn, drawing again', draw });
      }
    }
  }

  private async createOnce(manager: EntityManager, caller: Caller, wanted: CreateCoupons): Promise<Creation> {
    const key = wanted.idempotencyKey ?? null;
    if (key !== null) {
      const replay = await this.findReplay(manager, wanted, key);
      if (replay) return { answer: replay, replayed: true };
    }
    if (!(await this.batches.tryLock(manager, `voucher.creation.${wanted.tokenId}`))) {
      throw new CouponCreationRunningError();
    }
    const { VOUCHER_DEFAULT_COUNT: defaultCount, VOUCHER_MAX_COUNT: maxCount } = this.config;
    const count = countOf(wanted.requestedCount, { defaultCount, maxCount });
    const taken = await this.takeStock(manager, caller, wanted.voucherGroupId, count);
    const { batch, made } = await this.insertBatch(manager, caller, wanted, { ...taken, count });
    if (key !== null) await this.keepKey(manager, batch, key);
    await this.outbox.add(manager, COUPON_CREATED, {
      voucherGroupId: batch.groupId,
      batchId: batch.id,
      ...caller,
      couponIds: made.map(({ id }) => id),
      createdAt: batch.createdAt.toISOString(),
      ...(batch.expiresAt === null ? {} : { expiresAt: batch.expiresAt.toISOString() }),
    });
    return { answer: answerOf(batch, made), replayed: false };
  }

  /**
   * Returns the answer to an earlier request of the token with the same key; null if no such request succeeded, or if the key has expired.
   * @throws IdempotencyKeyReusedError when the earlier request had another group or another count
   * @throws IdempotentCreationRunningError when another request of the token with the same key is being handled
   */
  private async findReplay(manager: EntityManager, wanted: CreateCoupons, key: string): Promise<CreatedCoupons | null> {
    if (!(await this.batches.tryLock(manager, `voucher.key.${wanted.tokenId}.${key}`))) {
      throw new IdempotentCreationRunningError();
    }
    const ttlSeconds = this.config.IDEMPOTENCY_TTL_SECONDS;
    const batch = await this.batches.findByKey(manager, wanted.tokenId, { key, ttlSeconds });
    if (!batch) return null;
    if (batch.groupId !== wanted.voucherGroupId || batch.requestedCount !== wanted.requestedCount) {
      throw new IdempotencyKeyReusedError();
    }
    return answerOf(batch, await this.coupons.findOfBatch(manager, batch));
  }

  private async takeStock(manager: EntityManager, caller: Caller, groupId: string, count: number): Promise<TakenStock> {
    if (!isGroupId(groupId)) throw new VoucherGroupNotFoundError();
    const taken = await this.groups.takeStock(manager, caller, groupId, count);
    if (taken) return taken;
    const open = await this.groups.isOpen(manager, caller, groupId, new Date());
    throw open ? new InsufficientStockError() : new VoucherGroupNotFoundError();
  }

  private async insertBatch(
    manager: EntityManager,
    caller: Caller,
    wanted: CreateCoupons,
    { count, ...taken }: TakenStock & { count: number },
  ): Promise<{ batch: Batch; made: MadeCoupon[] }> {
    const made = this.codes.draw(count).map((code) => ({ id: randomUUID(), code }));
    const groupId = wanted.voucherGroupId;
    const id = randomUUID();
    const hashKey = this.config.COUPON_HASH_KEY;
    const range = await this.coupons.insert(manager, {
      caller,
      groupId,
      batchId: id,
      createdAt: taken.at,
      ids: made.map((coupon) => coupon.id),
      codes: made.map(({ code }) => code),
      hashes: made.map(({ code }) => codeHash(code, hashKey)),
    });
    const { tokenId, requestedCount } = wanted;
    const times = { createdAt: taken.at, expiresAt: taken.validUntil };
    const batch = { id, groupId, tokenId, requestedCount, count, ...range, ...times };
    await this.batches.insert(manager, batch);
    return { batch, made };
  }

  private async keepKey(manager: EntityManager, batch: Batch, key: string): Promise<void> {
    await this.batches.insertKey(manager, batch, key);
    await this.batches.deleteOldKeys(manager, this.config.IDEMPOTENCY_TTL_SECONDS);
  }
}

interface MadeCoupon {
  id: string;
  code: string;
}

/**
 * Builds the answer to a creation. The answer shows the coupons as they were created, so a repeat of the request gets the same answer even
 * if the coupons have changed.
 */
const answerOf = (batch: Batch, made: readonly MadeCoupon[]): CreatedCoupons => {
  const { id: batchId, groupId, createdAt } = batch;
  const group = { groupId, expiresAt: batch.expiresAt?.toISOString() ?? null };
  return {
    batchId,
    requestedCount: batch.requestedCount,
    count: batch.count,
    items: made.map((one) => couponView({ ...one, batchId, createdAt, redeemedAt: null }, group, 'active')),
  };
};
