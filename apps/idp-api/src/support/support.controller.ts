import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import {
  APPS,
  ChangedSupportUser,
  DeletedSupportUser,
  EnrollWithReceipts,
  SupportChangeBody,
  SupportEnrollments,
  SupportUser,
  UnlockedSupportUser,
  UserStory,
} from '@tandem/internal-api';
import { ClientBody } from '../bad-request/client-input.decorator';
import { KrnOfPath } from './krn-of-path.decorator';
import { changeOf } from '../user/user.view';
import { UserStoryService } from '../user-story/user-story.service';
import { SupportService } from './support.service';

/** Internal API for idp-support, which authenticates staff and keeps the audit trail. The edge never exposes this API. */
@ApiExcludeController()
@Controller('internal/support/users/:krn')
export class SupportController {
  constructor(
    private readonly support: SupportService,
    private readonly stories: UserStoryService,
  ) {}

  @Get()
  @Endpoint({ access: APPS, summary: 'Read what is known about a user', answer: { status: 200, type: SupportUser } })
  get(@KrnOfPath() krn: string): Promise<SupportUser> {
    return this.support.get(krn);
  }

  @Get('story')
  @Endpoint({
    access: APPS,
    summary: 'Explain why a user is locked, is not enrolled, or sees no alerts',
    answer: { type: UserStory },
  })
  tellStory(@KrnOfPath() krn: string): Promise<UserStory> {
    return this.stories.explain(krn);
  }

  @Patch()
  @Endpoint({
    access: APPS,
    summary: 'Change personal data, and end a lock',
    answer: { status: 200, type: ChangedSupportUser },
  })
  change(
    @KrnOfPath() krn: string,
    @ClientBody(SupportChangeBody) body: SupportChangeBody,
  ): Promise<ChangedSupportUser> {
    return this.support.change(krn, changeOf(body));
  }

  @Delete()
  @Endpoint({
    access: APPS,
    summary: 'Erase the profile and end every enrollment',
    answer: { status: 200, type: DeletedSupportUser },
  })
  delete(@KrnOfPath() krn: string): Promise<DeletedSupportUser> {
    return this.support.delete(krn);
  }

  @Post('enroll')
  @Endpoint({
    access: APPS,
    summary: 'Activate the products that the user is entitled to',
    answer: { status: 200, type: SupportEnrollments },
  })
  enroll(@KrnOfPath() krn: string, @Body() { receipts }: EnrollWithReceipts): Promise<SupportEnrollments> {
    return this.support.enroll(krn, receipts);
  }

  @Post('unlock')
  @Endpoint({ access: APPS, summary: 'End a lock', answer: { status: 200, type: UnlockedSupportUser } })
  unlock(@KrnOfPath() krn: string): Promise<UnlockedSupportUser> {
    return this.support.unlock(krn);
  }
}
