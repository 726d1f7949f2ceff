import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ProfileStatus } from '@tandem/internal-api';
import { ClientBody } from '../bad-request/client-input.decorator';
import { VENDOR_FAILURES } from '../array/vendor.errors';
import { InputValidationError } from '../bad-request/input-validation.errors';
import { users } from '../client-authentication/client.access';
import { type ClientUser, CurrentUser, Endpoint } from '@tandem/http-api';
import { EntitlementsRequiredError } from '../entitlement/entitlement.errors';
import { UserAlreadyExistsError, UserNotFoundError } from '../profile/profile.errors';
import { ProfileService } from '../profile/profile.service';
import { UserBusyError } from '../user-lock/user-lock.errors';
import { AttemptsTooEarlyError, MaximumAttemptsError } from '../profile/verification.errors';
import {
  ChangeUserBody,
  CreateUserBody,
  DeletedUser,
  EnrollmentsAnswer,
  IssuedTokenAnswer,
  MigrateUserBody,
  MigrationAnswer,
  UserTokenAnswer,
} from './user.dto';
import { ChangeUserService } from './change-user.service';
import { CreateUserService } from './create-user.service';
import { DeleteUserService } from './delete-user.service';
import { EnrollUserService } from './enroll-user.service';
import { IssueTokenService } from './issue-token.service';
import { CHANGE_EXAMPLE, CREATE_EXAMPLE } from './user-examples';
import { changeOf, enrollmentViews, personalDataOf, profileStatus, tokenAnswer } from './user.view';

const TAG = 'User';
const LOCKS = [new AttemptsTooEarlyError(900), MaximumAttemptsError];

@Controller('idp/array/users')
export class UserController {
  constructor(
    private readonly profiles: ProfileService,
    private readonly creations: CreateUserService,
    private readonly changes: ChangeUserService,
    private readonly deletions: DeleteUserService,
    private readonly enrollments: EnrollUserService,
    private readonly tokens: IssueTokenService,
  ) {}

  @Post()
  @Endpoint({
    access: users({ secondFactor: true, limit: 'onboarding' }),
    tag: TAG,
    summary: 'Create the profile if the vendor confirms the identity',
    description:
      'Also enrolls the user in the products that the version and the entitlements grant. Some of them may become active later.',
    body: { type: CreateUserBody, examples: { example: CREATE_EXAMPLE } },
    answer: { status: 200, type: UserTokenAnswer },
    errors: [
      new InputValidationError(['address.zip']),
      ...VENDOR_FAILURES,
      new UserAlreadyExistsError(),
      new EntitlementsRequiredError(),
      ...LOCKS,
    ],
  })
  async createProfile(
    @CurrentUser() { krn }: ClientUser,
    @ClientBody(CreateUserBody) body: CreateUserBody,
  ): Promise<UserTokenAnswer> {
    return tokenAnswer(await this.creations.create(krn, body.version ?? 0, personalDataOf(body)));
  }

  @Get('me')
  @Endpoint({
    access: users(),
    tag: TAG,
    summary: 'Read the profile and its verification',
    answer: { type: ProfileStatus },
    errors: [UserNotFoundError],
  })
  async getProfile(@CurrentUser() { krn }: ClientUser): Promise<ProfileStatus> {
    return profileStatus(await this.profiles.getOverview(krn));
  }

  @Patch('me')
  @Endpoint({
    access: users({ secondFactor: true }),
    tag: TAG,
    summary: 'Change personal data',
    description:
      'Send at least one field that is not null. A change of `ssn`, `dob` or `address` requires the vendor to verify the identity again.',
    body: { type: ChangeUserBody, examples: { example: CHANGE_EXAMPLE } },
    answer: { status: 200, type: ProfileStatus },
    errors: [new InputValidationError(['ssn']), ...VENDOR_FAILURES, new UserNotFoundError(), ...LOCKS],
  })
  async changeProfile(
    @CurrentUser() { krn }: ClientUser,
    @ClientBody(ChangeUserBody) body: ChangeUserBody,
  ): Promise<ProfileStatus> {
    const change = changeOf(body);
    if (Object.keys(change).length === 0) throw new InputValidationError(['body']);
    return profileStatus(await this.changes.change(krn, change));
  }

  @Delete('me')
  @Endpoint({
    access: users({ secondFactor: true }),
    tag: TAG,
    summary: 'Erase the profile and end every enrollment',
    answer: { status: 200, type: DeletedUser },
    errors: [UserNotFoundError, UserBusyError],
  })
  async deleteProfile(@CurrentUser() { krn }: ClientUser): Promise<DeletedUser> {
    const { arrayUserId } = await this.deletions.delete(krn);
    return { arrayUserId, deleted: true };
  }

  @Post('me/enroll')
  @Endpoint({
    access: users({ secondFactor: true, limit: 'onboarding' }),
    tag: TAG,
    summary: 'Activate the products that the user is entitled to',
    description:
      'Returns each enrollment and whether it is already active. A granted enrollment that is not active yet becomes active later.',
    answer: { status: 200, type: EnrollmentsAnswer },
    errors: [...VENDOR_FAILURES, UserNotFoundError, EntitlementsRequiredError, ...LOCKS],
  })
  async enroll(@CurrentUser() { krn }: ClientUser): Promise<EnrollmentsAnswer> {
    return { enrollments: enrollmentViews(await this.enrollments.enroll(krn)) };
  }

  @Post('me/token')
  @Endpoint({
    access: users({ secondFactor: true, limit: 'onboarding' }),
    tag: TAG,
    summary: 'Get a token for embedded pages',
    answer: { status: 200, type: IssuedTokenAnswer },
    errors: [...VENDOR_FAILURES, UserNotFoundError, EntitlementsRequiredError, ...LOCKS],
  })
  issueToken(@CurrentUser() { krn }: ClientUser): Promise<IssuedTokenAnswer> {
    return this.tokens.issue(krn);
  }

  @Post('me/migration')
  @Endpoint({
    access: users({ secondFactor: true }),
    tag: TAG,
    summary: 'Set the version and reconcile the enrollments with it',
    description: 'A profile of version 1 cannot return to version 0.',
    body: { type: MigrateUserBody, examples: { example: { version: 1 } } },
    answer: { status: 200, type: MigrationAnswer },
    errors: [
      new InputValidationError(['version']),
      new UserNotFoundError(),
      new EntitlementsRequiredError(),
      new UserBusyError(),
    ],
  })
  async migrateProfile(
    @CurrentUser() { krn }: ClientUser,
    @ClientBody(MigrateUserBody) { version = 0 }: MigrateUserBody,
  ): Promise<MigrationAnswer> {
    return { version, enrollments: enrollmentViews(await this.enrollments.migrate(krn, version)) };
  }
}
