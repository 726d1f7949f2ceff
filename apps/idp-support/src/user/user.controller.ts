import { Body, Controller, Delete, Get, Patch, Post, Req } from '@nestjs/common';
import {
  ChangedSupportUser,
  DeletedSupportUser,
  EntitlementsMissingError,
  IdentityNotConfirmedError,
  SupportChangeBody,
  SupportEnrollments,
  SupportUser,
  UserHasToWaitError,
  UserIsBusyError,
  UserLockedOutError,
  VendorTooSlowError,
  VendorUnavailableError,
} from '@tandem/internal-api';
import type { FastifyRequest } from 'fastify';
import { InvalidReceiptError } from '../receipt/receipt.errors';
import type { Act } from '../support-authentication/act';
import { SupportOperation } from '../support-authentication/support-operation.decorator';
import { CurrentAct, UserId } from '../support-authentication/support-request.decorators';
import { EnrollUserBody, SyncAccepted } from './user.dto';
import { UserService } from './user.service';

const VENDOR = [new VendorUnavailableError(), new VendorTooSlowError(), new UserIsBusyError()];

@Controller('idp/support/users/:user_id')
export class UserController {
  constructor(private readonly users: UserService) {}

  @Get()
  @SupportOperation({
    id: 'getUser',
    summary: 'Read what is known of a user',
    description:
      'Without personal data: which of it is stored, and not what it says. A user without a profile, of whom there is a subscription or a refused verification, has `array_user_details` null.',
    answer: { status: 200, type: SupportUser },
  })
  getUser(@UserId() krn: string, @CurrentAct() act: Act): Promise<SupportUser> {
    return this.users.get(act, krn);
  }

  @Patch()
  @SupportOperation({
    id: 'updateUser',
    summary: 'Change personal data, and end a lock',
    description:
      'The vendor verifies the identity with the changed data, whatever the lock is. Once it confirms it the user has all attempts again; while it does not, nothing is changed (400).',
    body: { type: SupportChangeBody, example: { ssn: '6789', emailAddress: 'jane@example.com' } },
    answer: { status: 200, type: ChangedSupportUser },
    failures: [new IdentityNotConfirmedError(), ...VENDOR],
  })
  updateUser(
    @UserId() krn: string,
    @CurrentAct() act: Act,
    @Req() { body }: FastifyRequest,
  ): Promise<ChangedSupportUser> {
    return this.users.change(act, krn, body as object | undefined);
  }

  @Delete()
  @SupportOperation({
    id: 'deleteUser',
    summary: 'Erase the profile and end every enrollment',
    answer: { status: 200, type: DeletedSupportUser },
    failures: [new UserIsBusyError()],
  })
  deleteUser(@UserId() krn: string, @CurrentAct() act: Act): Promise<DeletedSupportUser> {
    return this.users.delete(act, krn);
  }

  @Post('enroll')
  @SupportOperation({
    id: 'enrollUser',
    summary: 'Activate the products that the user is entitled to',
    description:
      'By its subscriptions, and by the receipts that come with the request: what those bring lasts until an end of their subscription, or the delete. The vendor verifies the identity.',
    body: { type: EnrollUserBody, optional: true, example: { srts: [] } },
    answer: { status: 200, type: SupportEnrollments },
    failures: [
      new InvalidReceiptError(0),
      new EntitlementsMissingError(),
      new UserHasToWaitError(),
      new UserLockedOutError(),
      ...VENDOR,
    ],
  })
  enrollUser(
    @UserId() krn: string,
    @CurrentAct() act: Act,
    @Body() { srts }: EnrollUserBody,
  ): Promise<SupportEnrollments> {
    return this.users.enroll(act, krn, srts ?? []);
  }

  @Post('unlock')
  @SupportOperation({
    id: 'unlockUser',
    summary: 'End a lock',
    description: 'The user has all attempts again, with a profile or without one. May be repeated.',
    answer: { status: 204 },
    failures: [new UserIsBusyError()],
  })
  unlockUser(@UserId() krn: string, @CurrentAct() act: Act): Promise<void> {
    return this.users.unlock(act, krn);
  }

  @Post('enrollment-sync')
  @SupportOperation({
    id: 'syncEnrollments',
    summary: 'Bring the enrollments in line with the subscriptions',
    description: 'Carried out soon: `eventId` follows it through the logs (`npm run logs -- --event <eventId>`).',
    answer: { status: 202, type: SyncAccepted },
  })
  syncEnrollments(@UserId() krn: string, @CurrentAct() act: Act): Promise<SyncAccepted> {
    return this.users.sync(act, krn);
  }
}
