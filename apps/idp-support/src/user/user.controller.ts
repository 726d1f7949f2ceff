import { Body, Controller, Delete, Get, Patch, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
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
  UserStory,
  VendorTooSlowError,
  VendorUnavailableError,
} from '@tandem/internal-api';
import type { FastifyRequest } from 'fastify';
import { InvalidReceiptError } from '../receipt/receipt.errors';
import type { Act } from '../support-authentication/act';
import { CurrentAct, SUPPORT, SupportParameters, UserId } from '../support-authentication/support.access';
import { EnrollUserBody, SyncAccepted } from './user.dto';
import { UserService } from './user.service';

const VENDOR = [VendorUnavailableError, VendorTooSlowError, UserIsBusyError];

@ApiTags('Users')
@SupportParameters()
@Controller('idp/support/users/:user_id')
export class UserController {
  constructor(private readonly users: UserService) {}

  @Get()
  @Endpoint({
    access: SUPPORT,
    summary: 'Read what is known about a user',
    description:
      'States which personal data is stored, but not its values. `array_user_details` is null if the user has no profile, but has a subscription or a refused verification.',
    answer: { type: SupportUser },
  })
  getUser(@UserId() krn: string, @CurrentAct() act: Act): Promise<SupportUser> {
    return this.users.get(act, krn);
  }

  @Get('story')
  @Endpoint({
    access: SUPPORT,
    summary: 'Explain why a user is locked, is not enrolled, or sees no alerts',
    description:
      'For each of these questions, returns a verdict, a reason and the possible next steps. Also returns, without personal data, what is stored about the user and what the vendor reports now. The answer is 200 even if the user is unknown.',
    answer: { type: UserStory },
  })
  tellUserStory(@UserId() krn: string, @CurrentAct() act: Act): Promise<UserStory> {
    return this.users.explain(act, krn);
  }

  @Patch()
  @Endpoint({
    access: SUPPORT,
    summary: 'Change personal data, and end a lock',
    description:
      'The vendor verifies the identity with the changed data, even during a lock. If it confirms the identity, the data is changed and the user has all attempts again; otherwise nothing is changed (400).',
    body: { type: SupportChangeBody, examples: { example: { ssn: '6789', emailAddress: 'jane@example.com' } } },
    answer: { status: 200, type: ChangedSupportUser },
    errors: [IdentityNotConfirmedError, ...VENDOR],
  })
  updateUser(
    @UserId() krn: string,
    @CurrentAct() act: Act,
    @Req() { body }: FastifyRequest,
  ): Promise<ChangedSupportUser> {
    return this.users.change(act, krn, body as object | undefined);
  }

  @Delete()
  @Endpoint({
    access: SUPPORT,
    summary: 'Erase the profile and end every enrollment',
    description:
      'If a request gets 503 or no answer, repeat it. If the user still has data, the repeat erases it. If the earlier request erased the user, the repeat gets 200, and its entry in `erasures` proves the erasure. Otherwise, and for any further repeat, the answer is 404.',
    answer: { status: 200, type: DeletedSupportUser },
    errors: [UserIsBusyError],
  })
  deleteUser(@UserId() krn: string, @CurrentAct() act: Act): Promise<DeletedSupportUser> {
    return this.users.delete(act, krn);
  }

  @Post('enroll')
  @Endpoint({
    access: SUPPORT,
    summary: 'Activate the products that the user is entitled to',
    description:
      'The user’s subscriptions and the receipts in the request decide what is activated. What a receipt grants lasts until its subscription ends or the user is deleted. The vendor verifies the identity.',
    body: { type: EnrollUserBody, optional: true, examples: { example: { srts: [] } } },
    answer: { status: 200, type: SupportEnrollments },
    errors: [new InvalidReceiptError(0), EntitlementsMissingError, UserHasToWaitError, UserLockedOutError, ...VENDOR],
  })
  enrollUser(
    @UserId() krn: string,
    @CurrentAct() act: Act,
    @Body() { srts }: EnrollUserBody,
  ): Promise<SupportEnrollments> {
    return this.users.enroll(act, krn, srts ?? []);
  }

  @Post('unlock')
  @Endpoint({
    access: SUPPORT,
    summary: 'End a lock',
    description: 'Gives the user all attempts again, even without a profile. May be repeated.',
    answer: { status: 204 },
    errors: [UserIsBusyError],
  })
  unlockUser(@UserId() krn: string, @CurrentAct() act: Act): Promise<void> {
    return this.users.unlock(act, krn);
  }

  @Post('enrollment-sync')
  @Endpoint({
    access: SUPPORT,
    summary: 'Reconcile the enrollments with the subscriptions',
    description:
      'Runs asynchronously. To follow it in the logs, search for the `eventId` of the answer (`npm run logs -- --event <eventId>`).',
    answer: { status: 202, type: SyncAccepted },
  })
  syncEnrollments(@UserId() krn: string, @CurrentAct() act: Act): Promise<SyncAccepted> {
    return this.users.sync(act, krn);
  }
}
