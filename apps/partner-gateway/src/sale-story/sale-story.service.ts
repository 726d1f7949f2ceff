import { Injectable } from '@nestjs/common';
import type { Environment, SaleClosing } from '@tandem/contracts';
import { ServiceUnavailableError } from '@tandem/http-api';
import {
  closureNoticeId,
  type DeadLetterView,
  deadLettersPath,
  type OpenDeadLetters,
  postbackDeliveriesPath,
  type PostbackDeliveryPage,
  type PostbackEndpointStatus,
  PostbackNotConfiguredError,
  postbackStatusPath,
} from '@tandem/internal-api';
import { DeadLetterLog } from '@tandem/messaging';
import type { AuditEntry } from '../audit/audit.entity';
import { AuditService } from '../audit/audit.service';
import { PartnerRepository } from '../partner/partner.repository';
import { PostbackClient } from '../relay/postback.client';
import type { PartnerCall } from '../relay/current-call.decorator';
import { callOf } from '../relay/relay.client';
import { SaleDto } from '../sale/sale.dto';
import { SaleRepository } from '../sale/sale.repository';
import type { SaleStory } from './sale-story.dto';
import { judge } from './sale-story.rules';

/** The facts about a sale that are read from postback-dispatcher. */
type PostbackFacts = Pick<SaleStory, 'endpoint' | 'delivery' | 'notice' | 'deadLetters' | 'dispatcherFailure'>;

/** The maximum number of replays in the story of a sale. */
const REPLAYS_SHOWN = 10;

const NO_FACTS: PostbackFacts = {
  endpoint: null,
  delivery: null,
  notice: null,
  deadLetters: [],
  dispatcherFailure: null,
};

const actOf = ({ at, actor }: AuditEntry): { at: Date; actor: string } => ({ at, actor });

const newestFirst = (one: DeadLetterView, other: DeadLetterView): number =>
  Date.parse(other.failedAt) - Date.parse(one.failedAt);

/** Reports what happened to a sale and its postback, from the payment to the answers of the partner's endpoint. */
@Injectable()
export class SaleStoryService {
  constructor(
    private readonly sales: SaleRepository,
    private readonly partners: PartnerRepository,
    private readonly postbacks: PostbackClient,
    private readonly deadLetters: DeadLetterLog,
    private readonly audit: AuditService,
  ) {}

  /** Returns the story of a sale. @throws PartnerNotFoundError when the expected partner does not exist */
  async explain(
    oid: string,
    { expectedPartnerId, requestId }: { expectedPartnerId?: string; requestId: string },
  ): Promise<SaleStory> {
    if (expectedPartnerId !== undefined) await this.partners.get(expectedPartnerId);
    const [sale, ownLetters] = await Promise.all([this.sales.find(oid), this.ownDeadLetters(oid)]);
    const { partnerId = null, environment = null, closedBy = null } = sale ?? {};
    const isPartners = partnerId !== null && environment !== null;
    const [partner, [decision], facts] = await Promise.all([
      isPartners ? this.partners.find(partnerId) : null,
      sale?.holdDecision ? this.audit.findNewest(oid, `sale.${sale.holdDecision}`, 1) : [],
      isPartners ? this.postbackFacts({ oid, closedBy }, { partnerId, environment, requestId }) : NO_FACTS,
    ]);
    const { delivery } = facts;
    const replays = delivery ? await this.audit.findNewest(delivery.id, 'delivery.replayed', REPLAYS_SHOWN) : [];
    const known = {
      ...facts,
      oid,
      sale: sale && SaleDto.of(sale),
      decision: decision === undefined ? null : actOf(decision),
      replays: replays.map(actOf),
      partner: partner && { id: partner.id, name: partner.name, active: partner.active },
      deadLetters: [...ownLetters, ...facts.deadLetters].sort(newestFirst),
    };
    return { ...judge(known, new Date(), expectedPartnerId), ...known };
  }

  private async ownDeadLetters(oid: string): Promise<DeadLetterView[]> {
    const found = await this.deadLetters.findOpen([oid]);
    return found.map((letter) => ({ ...letter, app: 'partner-gateway', failedAt: letter.failedAt.toISOString() }));
  }

  /**
   * Reads the facts from postback-dispatcher. If postback-dispatcher is unavailable, the returned facts contain the failure instead of the
   * endpoint, the deliveries and the dead letters.
   */
  private async postbackFacts(
    { oid, closedBy }: { oid: string; closedBy: SaleClosing | null },
    call: PartnerCall & { environment: Environment },
  ): Promise<PostbackFacts> {
    const client = this.postbacks.storyClient;
    try {
      const [page, endpoint, letters] = await Promise.all([
        client.json<PostbackDeliveryPage>(200, callOf('GET', postbackDeliveriesPath, call, { query: { oid } })),
        this.endpointOf(call),
        client.json<OpenDeadLetters>(200, callOf('GET', deadLettersPath, call, { query: { key: oid } })),
      ]);
      const delivery = page.items.find(({ kind }) => kind !== 'closure') ?? null;
      // A sale that was refunded and charged back can have two notices, or only a notice of the earlier closing. `closedBy` names the latest closing.
      // The story contains only the notice of this closing or, if there is none, no notice.
      const noticeId = closedBy && closureNoticeId(call.environment, oid, closedBy);
      const notice = page.items.find(({ id }) => id === noticeId) ?? null;
      return { endpoint, delivery, notice, deadLetters: letters.items, dispatcherFailure: null };
    } catch (error) {
      if (error instanceof ServiceUnavailableError) return { ...NO_FACTS, dispatcherFailure: error.message };
      throw error;
    }
  }

  private async endpointOf(call: PartnerCall): Promise<PostbackEndpointStatus | null> {
    try {
      return await this.postbacks.storyClient.json(200, callOf('GET', postbackStatusPath, call));
    } catch (error) {
      if (error instanceof PostbackNotConfiguredError) return null;
      throw error;
    }
  }
}
