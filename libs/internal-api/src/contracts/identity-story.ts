import { ApiSchema } from '@nestjs/swagger';
import { EnumField, ListField, ObjectField, TextField } from '@tandem/http-api';
import { DeadLetterView } from './dead-letters';
import { supportUserPath } from './identity-support';
import { IdentityUser, IdentityUserAtVendor } from './identity-users';

/** `GET`: 200 {@link UserStory}, even for an unknown user. To answer, idp-api also queries the vendor, which takes up to 3 s. */
export const supportStoryPath = (krn: string): string => `${supportUserPath(krn)}/story`;

/** What support or the operator can do next for a user. */
export const USER_STEPS = [
  'unlock_user',
  'sync_enrollments',
  'replay_dead_letter',
  'list_dead_letters',
  'read_vendor_metrics',
  'read_logs',
] as const;

export class UserStep {
  @EnumField(USER_STEPS, { example: 'read_logs' })
  readonly step!: (typeof USER_STEPS)[number];

  @TextField({ optional: true, description: 'Present for a step about the user or the user’s logs' })
  readonly krn?: string;

  @TextField({
    optional: true,
    example: 'sub-1001',
    description: 'Present for a step about the logs of a subscription',
  })
  readonly oid?: string;

  @TextField({ optional: true, example: 'idp-api', description: 'Present for `replay_dead_letter`' })
  readonly app?: string;

  @TextField({ optional: true, example: '17', description: 'Present for `replay_dead_letter`' })
  readonly deadLetterId?: string;
}

/** The answer to one question about a user. */
export class UserAnswer {
  @TextField({ example: 'not_locked', description: 'An open set. The on-call guide lists the current values' })
  readonly verdict!: string;

  @TextField({ example: 'no verification was refused' })
  readonly reason!: string;

  @ListField(() => UserStep, { description: 'The most helpful step first' })
  readonly next!: readonly UserStep[];
}

/** Why a user is locked, is not enrolled, or sees no alerts, with all facts behind these answers. */
@ApiSchema({ name: 'UserStory' })
export class UserStory {
  @ObjectField(() => UserAnswer, { description: 'Whether the user may verify their identity' })
  readonly locked!: UserAnswer;

  @ObjectField(() => UserAnswer, {
    description: 'Whether the user is enrolled in the products that their subscriptions include',
  })
  readonly enrolled!: UserAnswer;

  @ObjectField(() => UserAnswer, { description: 'Whether the user sees alerts' })
  readonly alerts!: UserAnswer;

  @ObjectField(() => IdentityUser)
  readonly user!: IdentityUser;

  @ObjectField(() => IdentityUserAtVendor)
  readonly vendor!: IdentityUserAtVendor;

  @ListField(() => DeadLetterView, { description: 'Events about the user that idp-api could not handle, newest first' })
  readonly deadLetters!: readonly DeadLetterView[];
}
