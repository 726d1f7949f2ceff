import { Injectable } from '@nestjs/common';
import { type FoundUsers, SUPPORT_SEARCH_PATH, searchKeyOf, type UserSearch } from '@tandem/internal-api';
import { AuditService } from '../audit/audit.service';
import type { Act } from '../support-authentication/act';
import { IdentityClient } from './identity.client';

/**
 * Finds users by one search key: a KRN, an e-mail address, a phone number or the id of a subscription. The audit trail records the kind of
 * the key and how many users were found, but never the key's value, because the value may be personal data.
 */
@Injectable()
export class UserSearchService {
  constructor(
    private readonly identity: IdentityClient,
    private readonly audit: AuditService,
  ) {}

  /** @throws ValidationFailedError when the search contains no key or several keys */
  async search(act: Act, search: UserSearch): Promise<FoundUsers> {
    const { by, value } = searchKeyOf(search);
    return this.audit.run(act, { action: 'user.search', krn: null, details: { by } }, async (entry) => {
      const { requestId } = act;
      const call = { method: 'POST', path: SUPPORT_SEARCH_PATH, body: { [by]: value }, requestId } as const;
      const found = await this.identity.json<FoundUsers>(200, call);
      entry.note({ found: found.items.length });
      return found;
    });
  }
}
