import { ApiSchema } from '@nestjs/swagger';
import { KRN } from '@tandem/contracts';
import {
  EnumField,
  FlagField,
  isEmail,
  isKrn,
  ListField,
  RuleField,
  TextField,
  ValidationFailedError,
} from '@tandem/http-api';

/** `POST` with {@link UserSearch}: 200 {@link FoundUsers}. The method is POST, so that no URL and no access log contains personal data. */
export const SUPPORT_SEARCH_PATH = '/internal/support/users/search';

/** The keys by which a user can be found. */
export const SEARCH_KEYS = ['krn', 'email', 'phone', 'subscriptionId'] as const;
export type SearchKey = (typeof SEARCH_KEYS)[number];

/** A search by exactly one of the {@link SEARCH_KEYS}, as {@link searchKeyOf} checks. */
export class UserSearch {
  @RuleField(isKrn, { schema: { pattern: KRN.source }, optional: true, message: 'must be the KRN of a user' })
  krn?: string;

  @RuleField(isEmail, {
    schema: { format: 'email', maxLength: 254 },
    optional: true,
    message: 'must be an e-mail address',
    description: 'All spellings that reach one mailbox find the same users',
  })
  email?: string;

  @TextField({
    max: 32,
    pattern: /^\+?(?:[ ().-]*\d){10,15}$/,
    optional: true,
    message: 'must be a phone number of 10 to 15 digits',
    description: 'Spaces, parentheses, dots and hyphens are ignored, as is the leading 1 of an 11-digit number',
  })
  phone?: string;

  @TextField({ min: 1, max: 255, storable: true, optional: true })
  subscriptionId?: string;
}

export class FoundUser {
  @TextField({ example: 'krn:tandem:dev:user:alice', description: "The user's KRN" })
  user_id!: string;

  @FlagField({
    description: '`false`: the user is known only from a subscription, a receipt or a refused verification',
  })
  has_profile!: boolean;

  @EnumField(SEARCH_KEYS)
  found_by!: SearchKey;
}

@ApiSchema({ name: 'FoundUsers' })
export class FoundUsers {
  @ListField(() => FoundUser, { description: 'At most 10, sorted by KRN' })
  items!: FoundUser[];
}

/** Returns the only key of a search, and its value. @throws ValidationFailedError unless exactly one key is given */
export function searchKeyOf(search: UserSearch): { readonly by: SearchKey; readonly value: string } {
  const given = SEARCH_KEYS.flatMap((by) => {
    const value = search[by];
    return value === undefined ? [] : [{ by, value }];
  });
  const [only] = given;
  if (given.length === 1 && only) return only;
  const message = `must have exactly one of ${SEARCH_KEYS.slice(0, -1).join(', ')} and ${SEARCH_KEYS.at(-1)}`;
  throw new ValidationFailedError([{ field: 'body', message }]);
}
