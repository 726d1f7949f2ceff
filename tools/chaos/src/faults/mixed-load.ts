import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  call,
  type Call,
  deliverWebhook,
  purchaseWebhook,
  refundWebhook,
  signable,
  signedHeaders,
} from '@tandem/stack-client';
import { UserStream } from '../identity/users';
import { PurchaseStream, type PurchaseTarget } from '../purchases';
import type { Operation } from '../replicas/request-load';
import { CREATION, operationsOf } from '../replicas/operations';
import type { Sink } from '../sink';
import type { ChaosStack } from '../stack';
import { ServiceLog } from './service-log';

const ANSWER_TIMEOUT_MS = 10_000;
const RETRY_MS = 500;
const READ_EVERY_MS = 1_000;
const WRITE_EVERY_MS = 1_000;
const FORGE_EVERY_MS = 5_000;
/**
 * The time without success after which a request is no longer repeated. Faults can follow each other for minutes, so the time is longer than the
 * default of `UserStream`.
 */
const USERS_GIVE_UP_MS = 900_000;
const COUPONS = 3;
const REFUSALS = [400, 404, 422];

/** What the load did with a sale after its postback had arrived. */
export type LaterFate = 'refunded' | 'revoked';

/** A request to create coupons that was answered with 201. */
export interface CreatedBatch {
  readonly batchId: string;
  readonly count: number;
}

/**
 * Sends a continuous load of all kinds, and records what the platform acknowledged.
 * - Repeated until acknowledged: purchases, refunds, revocations, requests for coupons, requests of users of identity protection, and acts of
 *   support.
 * - Repeated until refused: an invalid request for coupons.
 * - Not repeated: all other requests, which go to every API.
 */
export class MixedLoad {
  readonly purchases: PurchaseStream;
  readonly users: UserStream;
  /** Acknowledged refunds and revocations, by the `oid` of the sale. */
  readonly fates = new Map<string, LaterFate>();
  readonly batches: CreatedBatch[] = [];
  /** The `oid`s in forged webhooks. No sale may have one of them. */
  readonly forgedOids: string[] = [];
  /** The idempotency keys of refused requests for coupons, which must have had no effect. */
  readonly refusedKeys: string[] = [];
  /** The KRN of each acknowledged act of support. */
  readonly supportActs: string[] = [];
  private readonly touched = new Set<string>();
  private loops: Promise<void>[] = [];
  private isOver = false;

  constructor(
    private readonly stack: ChaosStack,
    private readonly target: PurchaseTarget,
    private readonly sink: Sink,
    readonly log: ServiceLog,
    private readonly random: () => number,
  ) {
    this.purchases = new PurchaseStream(target);
    this.users = new UserStream(stack.identityTarget, USERS_GIVE_UP_MS);
  }

  /**
   * Starts the load.
   * @param rate purchases per second
   * @param usersPerSecond new users with identity protection per second
   */
  async start(rate: number, usersPerSecond: number): Promise<void> {
    // Coupons are created in a separate loop, because a token can have only one creation at a time.
    const reads = (await operationsOf(this.stack)).filter(({ name }) => name !== CREATION);
    this.purchases.start(rate);
    await this.users.start(usersPerSecond);
    this.loops = [
      ...[...reads, ...this.partnersReads()].map((operation) =>
        this.repeat(READ_EVERY_MS, () => this.log.observe(operation.name, operation.run)),
      ),
      this.repeat(WRITE_EVERY_MS, () => this.endSale()),
      this.repeat(WRITE_EVERY_MS, () => this.createCoupons()),
      this.repeat(FORGE_EVERY_MS, () => this.forge()),
      this.repeat(WRITE_EVERY_MS * 2, () => this.actForSupport()),
    ];
  }

  /** Ends the load. Resolves when all requests that were started have ended. */
  async finish(): Promise<void> {
    this.isOver = true;
    await Promise.all([this.purchases.finish(), this.users.finish(), ...this.loops]);
  }

  private async repeat(everyMs: number, act: () => Promise<void>): Promise<void> {
    while (!this.isOver) {
      const next = Date.now() + everyMs;
      await act();
      await sleep(Math.max(0, next - Date.now()));
    }
  }

  private partnersReads(): Operation[] {
    const { baseUrl, partners } = this.stack.file;
    const read = (name: string, path: string, token: string): Operation => ({
      name,
      run: async () => {
        const answer = await call(baseUrl + path, { token, timeoutMs: ANSWER_TIMEOUT_MS });
        if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
      },
    });
    return [
      read("a partner's sales", '/api/v2/partner/sales?limit=5', partners.promotion.token),
      read("a partner's statistics", '/api/v2/partner/statistics', partners.promotion.token),
      read('statistics, for a manager', '/admin/statistics', partners.manager.token),
      read('what needs attention', '/admin/sales?status=held&limit=5', partners.manager.token),
    ];
  }

  /**
   * Chooses a sale whose postback has arrived, and refunds or revokes it or, in two of three cases, leaves it
   * unchanged.
   */
  private async endSale(): Promise<void> {
    const oid = [...this.sink.arrivals.keys()].find((one) => one.startsWith('chaos_') && !this.touched.has(one));
    if (oid === undefined) return;
    this.touched.add(oid);
    const chance = this.random();
    if (chance < 1 / 6) {
      await deliverWebhook(this.target, signable(refundWebhook(oid)));
      this.fates.set(oid, 'refunded');
    } else if (chance < 1 / 3) {
      const { token } = this.stack.file.partners.promotion;
      const body = { subscriptionId: oid };
      await this.until('/api/v2/partner/subscription/revoke', { method: 'PUT', token, body }, [200, 204]);
      this.fates.set(oid, 'revoked');
    }
  }

  private async createCoupons(): Promise<void> {
    const { token, voucherGroupId } = this.stack.file.partners.voucher;
    const key = randomUUID();
    const isRefused = this.random() < 0.2;
    const body = { voucherGroupId: isRefused ? randomUUID() : voucherGroupId, count: COUPONS };
    const request: Call = { method: 'POST', token, body, headers: { 'idempotency-key': key } };
    const answer = await this.until('/api/v2/partner/subscription/vouchers', request, [201, ...REFUSALS]);
    if (answer.status === 201) this.batches.push({ batchId: String(answer.body.batchId), count: COUPONS });
    else this.refusedKeys.push(key);
  }

  /** Sends a purchase that is signed with a wrong secret. */
  private async forge(): Promise<void> {
    const oid = `forged_${randomUUID()}`;
    const { promotionCode } = this.target;
    const { id, body } = signable(purchaseWebhook({ subscriptionId: oid, attribution: { promotionCode } }));
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    await this.log.observe('a forged webhook', async () => {
      const headers = signedHeaders(secret, body, id);
      const answer = await call(this.target.webhookUrl, {
        method: 'POST',
        body,
        headers,
        timeoutMs: ANSWER_TIMEOUT_MS,
      });
      if (answer.status !== 401) throw new Error(`forged webhook: ${answer.status} ${answer.text.slice(0, 300)}`);
    });
    this.forgedOids.push(oid);
  }

  private async actForSupport(): Promise<void> {
    const kept = this.users.finished.filter(({ fate }) => fate === 'keeps').at(-1);
    if (!kept) return;
    const { token } = this.stack.file.support;
    const request: Call = { method: 'POST', token, headers: { 'x-support-reason': 'chaos' } };
    await this.until(`/idp/support/users/${kept.krn}/unlock`, request, [200, 204]);
    this.supportActs.push(kept.krn);
  }

  /**
   * Repeats a request until its answer has one of the statuses.
   * @throws when there is no such answer within 15 minutes
   */
  private async until(path: string, request: Call, statuses: readonly number[]): Promise<Answer> {
    for (const deadline = Date.now() + USERS_GIVE_UP_MS; ;) {
      let answer: Answer | undefined;
      await this.log.observe(`${request.method} ${path.replace(/krn:[^/]+/, '…')}`, async () => {
        answer = await call(this.stack.file.baseUrl + path, { ...request, timeoutMs: ANSWER_TIMEOUT_MS });
        if (!statuses.includes(answer.status))
          throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
      });
      if (answer && statuses.includes(answer.status)) return answer;
      if (Date.now() > deadline)
        throw new Error(`${request.method} ${path} did not succeed: ${answer?.text ?? 'no answer'}`);
      await sleep(RETRY_MS);
    }
  }
}
