import { Injectable, Logger } from '@nestjs/common';
import { ServiceUnavailableError } from '@tandem/http-api';
import {
  type FindFigures,
  figuresPath,
  figuresRecountPath,
  type PostbackFigures,
  type RecountedFigures,
  type VoucherFigures,
} from '@tandem/internal-api';
import { PostbackClient } from '../relay/postback.client';
import { VoucherClient } from '../voucher/voucher.client';

/** The answers of the apps that count postbacks and vouchers; null for an app that is down. */
export interface OfApps<P, V = P> {
  readonly postbacks: P | null;
  readonly vouchers: V | null;
}

/** Calls the apps that count postbacks and vouchers: postback-dispatcher and voucher-service. */
@Injectable()
export class CountingApps {
  private readonly logger = new Logger(CountingApps.name);

  constructor(
    private readonly postbacks: PostbackClient,
    private readonly vouchers: VoucherClient,
  ) {}

  async figures(range: FindFigures, requestId: string): Promise<OfApps<PostbackFigures, VoucherFigures>> {
    const call = { method: 'GET', path: figuresPath(), query: { ...range }, requestId } as const;
    const [postbacks, vouchers] = await Promise.all([
      this.unlessDown(this.postbacks.json<PostbackFigures>(200, call)),
      this.unlessDown(this.vouchers.json<VoucherFigures>(200, call)),
    ]);
    return { postbacks, vouchers };
  }

  /** Recounts postbacks and vouchers. @param partnerId null recomputes the totals of all partners */
  async recount(partnerId: string | null, requestId: string): Promise<OfApps<RecountedFigures>> {
    const call = { method: 'POST', path: figuresRecountPath(), body: { partnerId }, requestId } as const;
    const [postbacks, vouchers] = await Promise.all([
      this.unlessDown(this.postbacks.slowJson<RecountedFigures>(200, call)),
      this.unlessDown(this.vouchers.json<RecountedFigures>(200, call)),
    ]);
    return { postbacks, vouchers };
  }

  private async unlessDown<T>(answer: Promise<T>): Promise<T | null> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof ServiceUnavailableError)) throw error;
      this.logger.warn({ msg: 'an app that counts did not answer', reason: error.message });
      return null;
    }
  }
}
