import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ProfileStatus } from '@tandem/internal-api';
import { ClientBody } from '../bad-request/client-input.decorators';
import { InputValidationError } from '../bad-request/input-validation.error';
import { ClientOperation } from '../client-authentication/client-operation.decorator';
import type { ClientUser } from '../client-authentication/client-user.rules';
import { CurrentUser } from '../client-authentication/current-user.decorator';
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
  MigrateUserBody,
  MigrationAnswer,
  UserTokenAnswer,
} from './user.dto';
import { ChangeUserService } from './change-user.service';
import { CreateUserService } from './create-user.service';
import { DeleteUserService } from './delete-user.service';
import { EnrollUserService } from './enroll-user.service';
import { IssueTokenService } from './issue-token.service';
import { CHANGE_EXAMPLE, CREATE_EXAMPLE } from './user.examples';
import { changeOf, enrollmentViews, personalDataOf, profileStatus, tokenAnswer } from './user.view';

const TAG = 'User';
const LOCKS = [new AttemptsTooEarlyError(900), new MaximumAttemptsError()];

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
  @ClientOperation({
    id: 'createProfile',
    tag: TAG,
    summary: 'Create the profile, when the vendor confirms the identity',
    description: 'Enrolls the user at once in what its version and entitlements grant.',
    secondFactor: true,
    limit: 'onboarding',
    body: { type: CreateUserBody, example: CREATE_EXAMPLE, invalidField: 'address.zip' },
    answer: { type: UserTokenAnswer },
    asksVendor: true,
    failures: [new UserAlreadyExistsError(), new EntitlementsRequiredError(), ...LOCKS],
  })
  async createProfile(
    @CurrentUser() { krn }: ClientUser,
    @ClientBody(CreateUserBody) body: CreateUserBody,
  ): Promise<UserTokenAnswer> {
    return tokenAnswer(await this.creations.create(krn, body.version ?? 0, personalDataOf(body)));
  }

  @Get('me')
  @ClientOperation({
    id: 'getProfile',
    tag: TAG,
    summary: 'Read the profile and its verification',
    answer: { type: ProfileStatus },
    failures: [new UserNotFoundError()],
  })
  async getProfile(@CurrentUser() { krn }: ClientUser): Promise<ProfileStatus> {
    return profileStatus(await this.profiles.getOverview(krn));
  }

  @Patch('me')
  @ClientOperation({
    id: 'changeProfile',
    tag: TAG,
    summary: 'Change personal data',
    description:
      'At least one field that is not null. A change of `ssn`, `dob` or `address` verifies the identity anew.',
    secondFactor: true,
    body: { type: ChangeUserBody, example: CHANGE_EXAMPLE, invalidField: 'ssn' },
    answer: { type: ProfileStatus },
    asksVendor: true,
    failures: [new UserNotFoundError(), ...LOCKS],
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
  @ClientOperation({
    id: 'deleteProfile',
    tag: TAG,
    summary: 'Erase the profile and end every enrollment',
    secondFactor: true,
    answer: { type: DeletedUser },
    failures: [new UserNotFoundError(), new UserBusyError()],
  })
  async deleteProfile(@CurrentUser() { krn }: ClientUser): Promise<DeletedUser> {
    const { arrayUserId } = await this.deletions.delete(krn);
    return { arrayUserId, deleted: true };
  }

  @Post('me/enroll')
  @ClientOperation({
    id: 'enroll',
    tag: TAG,
    summary: 'Activate the products that the user is entitled to',
    description: 'Answers what is active by now; what is wanted beside it follows.',
    secondFactor: true,
    limit: 'onboarding',
    answer: { type: EnrollmentsAnswer },
    asksVendor: true,
    failures: [new UserNotFoundError(), new EntitlementsRequiredError(), ...LOCKS],
  })
  async enroll(@CurrentUser() { krn }: ClientUser): Promise<EnrollmentsAnswer> {
    return { enrollments: enrollmentViews(await this.enrollments.enroll(krn)) };
  }

  @Post('me/token')
  @ClientOperation({
    id: 'issueToken',
    tag: TAG,
    summary: 'Get a token for embedded pages',
    secondFactor: true,
    limit: 'onboarding',
    answer: { type: UserTokenAnswer },
    asksVendor: true,
    failures: [new UserNotFoundError(), new EntitlementsRequiredError(), ...LOCKS],
  })
  async issueToken(@CurrentUser() { krn }: ClientUser): Promise<UserTokenAnswer> {
    return tokenAnswer(await this.tokens.issue(krn));
  }

  @Post('me/migration')
  @ClientOperation({
    id: 'migrateProfile',
    tag: TAG,
    summary: 'Set the version and bring the enrollments in line with it',
    description: 'A profile of version 1 does not go back to 0.',
    secondFactor: true,
    body: { type: MigrateUserBody, example: { version: 1 }, invalidField: 'version' },
    answer: { type: MigrationAnswer },
    failures: [new UserNotFoundError(), new EntitlementsRequiredError(), new UserBusyError()],
  })
  async migrateProfile(
    @CurrentUser() { krn }: ClientUser,
    @ClientBody(MigrateUserBody) { version = 0 }: MigrateUserBody,
  ): Promise<MigrationAnswer> {
    return { version, enrollments: enrollmentViews(await this.enrollments.migrate(krn, version)) };
  }
}
