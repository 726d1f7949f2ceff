import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { CurrentAct, MANAGERS } from '../admin/manager.access';
import { PathId } from '../admin/path-id.pipe';
import type { Act } from '../audit/act';
import { PartnerDto } from '../partner/partner.dto';
import { ApplicationDto, ApplicationPage, ApplicationsQuery, RejectBody } from './application.dto';
import { ApplicationDecidedError, ApplicationNotFoundError } from './application.errors';
import { ApplicationReviewService } from './application-review.service';

@ApiTags('Applications')
@Controller('admin/applications')
export class ApplicationReviewController {
  constructor(private readonly applications: ApplicationReviewService) {}

  @Get()
  @Endpoint({
    access: MANAGERS,
    summary: 'List applications',
    description: 'Newest first. `status=pending` lists the applications that are not decided yet.',
    answer: { description: 'A page', type: ApplicationPage },
  })
  listApplications(@Query() query: ApplicationsQuery) {
    return this.applications.listApplications(query);
  }

  @Post(':id/approve')
  @Endpoint({
    access: MANAGERS,
    summary: 'Approve an application',
    description: 'Creates the partner with the name of the company and the e-mail address of the application.',
    answer: { status: 201, description: 'The partner', type: PartnerDto },
    errors: [ApplicationNotFoundError, new ApplicationDecidedError('approved')],
  })
  approveApplication(@PathId('id', ApplicationNotFoundError) id: string, @CurrentAct() act: Act) {
    return this.applications.approve(id, act);
  }

  @Post(':id/reject')
  @Endpoint({
    access: MANAGERS,
    summary: 'Reject an application',
    description: 'The applicant is not notified.',
    body: { optional: true, type: RejectBody, examples: { withNote: { note: 'No website' } } },
    answer: {
      status: 200,
      description: 'The application',
      type: ApplicationDto,
      example: { status: 'rejected', note: 'No website', decidedAt: '2026-03-01T13:00:00.000Z' },
    },
    errors: [ApplicationNotFoundError, new ApplicationDecidedError('approved')],
  })
  rejectApplication(
    @PathId('id', ApplicationNotFoundError) id: string,
    @Body() { note = null }: RejectBody,
    @CurrentAct() act: Act,
  ) {
    return this.applications.reject(id, note, act);
  }
}
