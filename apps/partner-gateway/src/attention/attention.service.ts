import { Injectable, Logger } from '@nestjs/common';
import { ServiceUnavailableError } from '@tandem/http-api';
import {
  ATTENTION_SHOWN,
  attentionPath,
  type DispatcherAttention,
  MAX_ATTENTION,
  type OpenDeadLetterCount,
} from '@tandem/internal-api';
import { DeadLetterLog } from '@tandem/messaging';
import { ApplicationRepository } from '../application/application.repository';
import type { PartnerApplication } from '../application/application.entity';
import { PartnerRepository } from '../partner/partner.repository';
import { PostbackClient } from '../relay/postback.client';
import type { Sale } from '../sale/sale.entity';
import { SaleRepository } from '../sale/sale.repository';
import type { Attention, HeldSale, HeldSales, PendingApplication, PendingApplications } from './attention.dto';

const FIRST = { limit: ATTENTION_SHOWN };
type OfDispatcher = Omit<Attention, 'heldSales' | 'applications' | 'deadLetters'>;
const UNKNOWN: OfDispatcher = {
  disabledEndpoints: null,
  pausedEndpoints: null,
  failingEndpoints: null,
  failedPostbacks: null,
  heldPostbacks: null,
  postbackDeadLetters: null,
};

/** Counts the items that need a partner manager's attention, and returns the first few items of each kind. */
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
    const [heldSales, applications, deadLetters, dispatcher] = await Promise.all([
      this.heldSales(),
      this.pendingApplications(),
      this.ownDeadLetters(),
      this.ofDispatcher(requestId),
    ]);
    return { heldSales, applications, deadLetters, ...dispatcher };
  }

  private async heldSales(): Promise<HeldSales> {
    const [count, { items }] = await Promise.all([
      this.sales.countHeld(MAX_ATTENTION),
      this.sales.findPage({ status: 'held' }, FIRST),
    ]);
    const names = await this.partners.findNames(partnersOf(items));
    const saleOf = ({ oid, partnerId, holdReason, soldAt }: Sale): HeldSale => ({
      oid,
      partnerId,
      holdReason,
      soldAt,
      partnerName: names.get(partnerId ?? '') ?? null,
    });
    return { count, items: items.map(saleOf) };
  }

  private async pendingApplications(): Promise<PendingApplications> {
    const [count, { items }] = await Promise.all([
      this.applications.countPending(MAX_ATTENTION),
      this.applications.findPage('pending', FIRST),
    ]);
    const applicationOf = ({ id, companyName, kind, createdAt }: PartnerApplication): PendingApplication => ({
      id,
      companyName,
      kind,
      createdAt,
    });
    return { count, items: items.map(applicationOf) };
  }

  private async ownDeadLetters(): Promise<OpenDeadLetterCount> {
    const [count, letters] = await Promise.all([
      this.deadLetters.count(MAX_ATTENTION),
      this.deadLetters.findNewest(ATTENTION_SHOWN),
    ]);
    const app = 'partner-gateway';
    return { count, items: letters.map((one) => ({ ...one, app, failedAt: one.failedAt.toISOString() })) };
  }

  /** Returns the parts of the answer that postback-dispatcher reports. Each of these parts is null while postback-dispatcher is unavailable. */
  private async ofDispatcher(requestId: string): Promise<OfDispatcher> {
    try {
      const call = { method: 'GET', path: attentionPath(), requestId } as const;
      return await this.named(await this.postbacks.json<DispatcherAttention>(200, call));
    } catch (error) {
      if (!(error instanceof ServiceUnavailableError)) throw error;
      this.logger.warn({ msg: 'the state of postbacks is unavailable', reason: error.message });
      return UNKNOWN;
    }
  }

  private async named(attention: DispatcherAttention): Promise<OfDispatcher> {
    const { disabledEndpoints, pausedEndpoints, failingEndpoints, failedPostbacks, heldPostbacks, deadLetters } =
      attention;
    const owners = [disabledEndpoints, pausedEndpoints, failingEndpoints, failedPostbacks, heldPostbacks].flatMap(
      (part): { partnerId: string }[] => part?.items ?? [],
    );
    const names = await this.partners.findNames(partnersOf(owners));
    const named = <T extends { partnerId: string }>({ count, items }: { count: number; items: readonly T[] }) => ({
      count,
      items: items.map((one) => ({ ...one, partnerName: names.get(one.partnerId) ?? null })),
    });
    return {
      disabledEndpoints: named(disabledEndpoints),
      pausedEndpoints: pausedEndpoints ? named(pausedEndpoints) : null,
      failingEndpoints: failingEndpoints ? named(failingEndpoints) : null,
      failedPostbacks: named(failedPostbacks),
      heldPostbacks: heldPostbacks ? named(heldPostbacks) : null,
      postbackDeadLetters: deadLetters,
    };
  }
}

const partnersOf = (rows: readonly { partnerId: string | null }[]): Set<string> =>
  new Set(rows.flatMap(({ partnerId }) => partnerId ?? []));
