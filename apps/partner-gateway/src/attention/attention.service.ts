import { Injectable, Logger } from '@nestjs/common';
import { ServiceUnavailableError } from '@tandem/http-api';
import { ATTENTION_SHOWN, attentionPath, type DispatcherAttention, MAX_ATTENTION } from '@tandem/internal-api';
import { DeadLetterLog } from '@tandem/messaging';
import { ApplicationRepository } from '../application/application.repository';
import type { PartnerApplication } from '../application/application.entity';
import { PartnerRepository } from '../partner/partner.repository';
import { PostbackClient } from '../relay/postback.client';
import type { Sale } from '../sale/sale.entity';
import { SaleRepository } from '../sale/sale.repository';
import type { Attention, HeldSale, PendingApplication } from './attention.dto';

const FIRST = { limit: MAX_ATTENTION };
type OfDispatcher = Pick<Attention, 'disabledEndpoints' | 'failedPostbacks' | 'deadLetters'>;
const UNKNOWN: OfDispatcher = { disabledEndpoints: null, failedPostbacks: null, deadLetters: null };

/** Counts what needs a partner manager's attention, and shows the first few of each kind. */
@Injectable()
export class AttentionService {
  private readonly logger = new Logger(AttentionService.name);

  constructor(
    private readonly sales: SaleRepository,
    private readonly applications: ApplicationRepository,
    private readonly partners: PartnerRepository,
    private readonly deadLetters: DeadLetterLog,
    private readonly postbacks: PostbackClient,
  ) {}

  async read(requestId: string): Promise<Attention> {
    const [held, pending, dispatcher] = await Promise.all([
      this.sales.findPage({ status: 'held' }, FIRST),
      this.applications.findPage('pending', FIRST),
      this.ofDispatcher(requestId),
    ]);
    const shown = held.items.slice(0, ATTENTION_SHOWN);
    const names = await this.partners.findNames(partnersOf(shown));
    const saleOf = ({ oid, partnerId, holdReason, soldAt }: Sale): HeldSale => ({
      ...{ oid, partnerId, holdReason, soldAt },
      partnerName: names.get(partnerId ?? '') ?? null,
    });
    const applicationOf = ({ id, companyName, kind, createdAt }: PartnerApplication): PendingApplication => ({
      ...{ id, companyName, kind, createdAt },
    });
    return {
      heldSales: { count: held.items.length, items: shown.map(saleOf) },
      applications: {
        count: pending.items.length,
        items: pending.items.slice(0, ATTENTION_SHOWN).map(applicationOf),
      },
      ...dispatcher,
    };
  }

  /** Returns nulls while postback-dispatcher is down, so that the other parts can still be shown. */
  private async ofDispatcher(requestId: string): Promise<OfDispatcher> {
    try {
      const call = { method: 'GET', path: attentionPath(), requestId } as const;
      return await this.named(await this.postbacks.json<DispatcherAttention>(200, call));
    } catch (error) {
      if (!(error instanceof ServiceUnavailableError)) throw error;
      this.logger.warn({ msg: 'the state of postbacks is not known now', reason: error.message });
      return UNKNOWN;
    }
  }

  private async named({ disabledEndpoints, failedPostbacks, deadLetters }: DispatcherAttention): Promise<OfDispatcher> {
    const [names, own] = await Promise.all([
      this.partners.findNames(partnersOf([...disabledEndpoints.items, ...failedPostbacks.items])),
      this.deadLetters.findNewest(MAX_ATTENTION),
    ]);
    const named = <T extends { partnerId: string }>(one: T) => ({
      ...one,
      partnerName: names.get(one.partnerId) ?? null,
    });
    const letters = own.map((one) => ({ ...one, app: 'partner-gateway', failedAt: one.failedAt.toISOString() }));
    return {
      disabledEndpoints: { ...disabledEndpoints, items: disabledEndpoints.items.map(named) },
      failedPostbacks: { ...failedPostbacks, items: failedPostbacks.items.map(named) },
      deadLetters: {
        count: Math.min(letters.length + deadLetters.count, MAX_ATTENTION),
        items: [...letters, ...deadLetters.items]
          .sort((a, b) => Date.parse(b.failedAt) - Date.parse(a.failedAt))
          .slice(0, ATTENTION_SHOWN),
      },
    };
  }
}

const partnersOf = (rows: readonly { partnerId: string | null }[]): Set<string> =>
  new Set(rows.flatMap(({ partnerId }) => partnerId ?? []));
