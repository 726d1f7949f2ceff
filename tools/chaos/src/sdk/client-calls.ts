import { type CallOptions, Tandem } from '@tandem/partner';
import type { Stack } from '@tandem/stack-client';

/** The number of coupons that each call creates. */
export const VOUCHERS = 3;
/**
 * The limits of each call. `maxRetries` is higher than the default: partner-gateway is killed repeatedly, and on a busy
 * machine it is down for most of the run.
 */
export const LIMITS = { timeoutMs: 10_000, deadlineMs: 180_000, maxRetries: 100 } as const satisfies CallOptions;

/** A call by the SDK that has ended. */
export interface EndedCall {
  readonly what: string;
  readonly durationMs: number;
  readonly attempts: number;
  /** The codes of the created coupons, or the revoked sale; undefined when the call failed. */
  readonly result?: readonly string[];
  readonly error?: string;
}

/** Creates coupons and revokes sales through the SDK, in two loops. Each loop makes one call after the other. */
export class ClientCalls {
  readonly ended: EndedCall[] = [];
  private attempts: Record<string, number> = {};
  private isOver = false;
  private loops: Promise<void>[] = [];

  constructor(private readonly stack: Stack) {}

  /** Starts both loops. @param oids the sales to revoke @param everyMs the pause between two calls of a loop */
  start(oids: readonly string[], everyMs: number): void {
    const { voucher, promotion } = this.stack.partners;
    const left = [...oids];
    const vouchers = this.client('vouchers', voucher.token);
    const sales = this.client('revoke', promotion.token);
    const create = async (): Promise<string[]> => {
      const { items } = await vouchers.vouchers.create(voucher.voucherGroupId, { count: VOUCHERS });
      // The codes as they are stored: without the dashes that make them readable.
      return items.map(({ code }) => code.replaceAll('-', ''));
    };
    const revoke = async (oid: string): Promise<string[]> => {
      await sales.sales.revoke(oid, { reason: 'returned' });
      return [oid];
    };
    this.loops = [
      this.repeat('vouchers', everyMs, () => create),
      this.repeat('revoke', everyMs, () => {
        const oid = left.shift();
        return oid === undefined ? undefined : () => revoke(oid);
      }),
    ];
  }

  /** Starts no more calls, and waits until the started calls have ended. */
  async finish(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.loops);
  }

  private client(what: string, token: string): Tandem {
    const count = (): void => void (this.attempts[what] = (this.attempts[what] ?? 0) + 1);
    return new Tandem({ token, baseUrl: this.stack.baseUrl, ...LIMITS, onRequest: count });
  }

  private async repeat(
    what: string,
    everyMs: number,
    next: () => (() => Promise<string[]>) | undefined,
  ): Promise<void> {
    for (let call = next(); call && !this.isOver; call = next()) {
      const startedAt = performance.now();
      this.attempts[what] = 0;
      const outcome = await call().then(
        (result) => ({ result }),
        (error: unknown) => ({ error: String(error) }),
      );
      const durationMs = performance.now() - startedAt;
      this.ended.push({ what, durationMs, attempts: this.attempts[what] ?? 0, ...outcome });
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }
}
