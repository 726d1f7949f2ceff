import { Injectable } from '@nestjs/common';
import { type Page, timeOf, ValidationFailedError, viewsOf } from '@tandem/http-api';
import { And, LessThan, MoreThanOrEqual, Raw } from 'typeorm';
import { Pages } from '../paging/pages';
import { PartnerRepository } from '../partner/partner.repository';
import { AuditEntryDto, type AuditQuery } from './audit.dto';
import { AuditEntry } from './audit.entity';

/**
 * Returns the condition that is true for entries about a partner. If `after` or `before` contains a `partnerId`, as for a promotion, the
 * condition compares this id. Otherwise it compares `entity_id`, which is the id of the partner for actions on the account, the postback
 * configurations or the statistics of one partner. The entry `voucher_group.change_requested` contains no id of a partner, so the condition
 * is false for this entry. The index `audit_entry_partner` has the same expression.
 */
const isOf = (partnerId: string) =>
  Raw(() => `coalesce(after ->> 'partnerId', before ->> 'partnerId', entity_id) = :partnerId`, { partnerId });

/** Returns the id of the partner that an entry is about, by the same rule as {@link isOf}; null if the entry names no partner. */
function partnerOf({ before, after, entityId }: AuditEntry): string | null {
  const [ofAfter, ofBefore] = [after, before].map((values) => (values as { partnerId?: unknown } | null)?.partnerId);
  const id = ofAfter ?? ofBefore ?? entityId;
  return typeof id === 'string' && id.startsWith('ptn_') ? id : null;
}

/** Lists the audit trail for managers. */
@Injectable()
export class AuditListService {
  constructor(
    private readonly pages: Pages,
    private readonly partners: PartnerRepository,
  ) {}

  /**
   * Returns a page of entries, newest first.
   *
   * @throws InvalidCursorError for an invalid cursor, or one that was issued for other filters
   * @throws ValidationFailedError when `to` is not later than `from`, or when `partnerId` and `entityId` are both given
   */
  async listEntries(query: AuditQuery): Promise<Page<AuditEntryDto>> {
    const { actor, action, entity, entityId, partnerId, from, to } = query;
    if (from !== undefined && to !== undefined && timeOf(from) >= timeOf(to)) {
      throw new ValidationFailedError([{ field: 'to', message: 'to must be later than from' }]);
    }
    if (partnerId !== undefined && entityId !== undefined) {
      throw new ValidationFailedError([{ field: 'partnerId', message: 'partnerId cannot be combined with entityId' }]);
    }
    const times = [
      ...(from === undefined ? [] : [MoreThanOrEqual(timeOf(from))]),
      ...(to === undefined ? [] : [LessThan(timeOf(to))]),
    ];
    const given = Object.entries({ actor, action, entity, entityId }).filter(([, value]) => value !== undefined);
    const where = {
      ...Object.fromEntries(given),
      ...(partnerId !== undefined && { entityId: isOf(partnerId) }),
      ...(times.length > 0 && { at: And(...times) }),
    };
    // A cursor is valid only for the list and the filters that were signed with it. Older versions had no filter `partnerId`. A list without
    // this filter is signed with the same values as in those versions, so that their cursors stay valid.
    const filters = [actor, action, entity, entityId, from, to, ...(partnerId === undefined ? [] : [partnerId])];
    const list = filters.every((one) => one === undefined) ? ['audit'] : ['audit', ...filters];
    const page = await this.pages.find(AuditEntry, list, where, query);
    const names = await this.partners.findNames(new Set(page.items.flatMap((entry) => partnerOf(entry) ?? [])));
    return viewsOf(page, (entry) => ({
      id: entry.seq,
      ...AuditEntryDto.of(entry),
      partnerName: names.get(partnerOf(entry) ?? '') ?? null,
    }));
  }
}
