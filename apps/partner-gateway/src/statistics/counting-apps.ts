import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { RECOUNT_TIMEOUT_MS } from '@tandem/database';
import { ServiceUnavailableError } from '@tandem/http-api';
import {
  type FindFigures,
  figuresPath,
  figuresRecountPath,
  type InternalClient,
  type PostbackFigures,
  type RecountedFigures,
  type VoucherFigures,
} from '@tandem/internal-api';
import { PostbackClient } from '../relay/postback.client';
import { VoucherClient } from '../voucher/voucher.client';

/**
 * The timeout of a call that recounts. The called app aborts a recount after a shorter time, so that its error arrives before this timeout.
 */
const RECOUNT_CALL_TIMEOUT_MS = RECOUNT_TIMEOUT_MS + 3_000;
/**
 * The maximum number of calls for a recount that this process makes to each app at the same time. Recounts are heavy for the app's
 * database, so further calls wait.
 */
const RECOUNTS_AT_ONCE = 2;

/** The answers of postback-dispatcher (`postbacks`) and voucher-service (`vouchers`); null for an app that is down or too slow. */
export interface OfApps<P, V = P> {
  readonly postbacks: P | null;
  readonly vouchers: V | null;
}

/** Calls the two other apps that keep statistics: postback-dispatcher counts postbacks, and voucher-service counts coupons. */
@Injectable()
export class CountingApps implements OnApplicationShutdown {
  private readonly logger = new Logger(CountingApps.name);
  private readonly recounts: { readonly postbacks: InternalClient; readonly vouchers: InternalClient };

  constructor(
    private readonly postbacks: PostbackClient,
    private readonly vouchers: VoucherClient,
  ) {
    const recountsOf = (client: InternalClient) => client.withTimeout(RECOUNT_CALL_TIMEOUT_MS, RECOUNTS_AT_ONCE);
    this.recounts = { postbacks: recountsOf(postbacks), vouchers: recountsOf(vouchers) };
  }

  async figures(range: FindFigures, requestId: string): Promise<OfApps<PostbackFigures, VoucherFigures>> {
    const call = { method: 'GET', path: figuresPath(), query: { ...range }, requestId } as const;
    const [postbacks, vouchers] = await Promise.all([
      this.unlessDown(this.postbacks.json<PostbackFigures>(200, call)),
      this.unlessDown(this.vouchers.json<VoucherFigures>(200, call)),
    ]);
    return { postbacks, vouchers };
  }

  /** Recounts postbacks and coupons. @param partnerId the partner to recount; null recomputes the totals of all partners */
  async recount(partnerId: string | null, requestId: string): Promise<OfApps<RecountedFigures>> {
    const call = { method: 'POST', path: figuresRecountPath(), body: { partnerId }, requestId } as const;
    const [postbacks, vouchers] = await Promise.all([
      this.unlessDown(this.recounts.postbacks.json<RecountedFigures>(200, call)),
      this.unlessDown(this.recounts.vouchers.json<RecountedFigures>(200, call)),
    ]);
    return { postbacks, vouchers };
  }

  onApplicationShutdown(): Promise<unknown> {
    return Promise.all(Object.values(this.recounts).map((client) => client.close()));
  }

  private async unlessDown<T>(answer: Promise<T>): Promise<T | null> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof ServiceUnavailableError)) throw error;
      this.logger.warn({ msg: 'another app returned no statistics', reason: error.message });
      return null;
    }
  }
}
