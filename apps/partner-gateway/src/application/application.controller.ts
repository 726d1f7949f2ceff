import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Access, Endpoint, RateLimitedError } from '@tandem/http-api';
import { ApplicantAuthenticator } from './applicant.authenticator';
import { Applied, ApplyBody } from './application.dto';
import { ApplicationsDisabledError } from './application.errors';
import { ApplicationService } from './application.service';

const APPLICANTS: Access = {
  by: ApplicantAuthenticator,
  token: null,
  limited: true,
  errors: [ApplicationsDisabledError, new RateLimitedError('application', 3_000, 'IP address')],
};

@ApiTags('Applications')
@Controller('api/v2/partner-applications')
export class ApplicationController {
  constructor(private readonly applications: ApplicationService) {}

  @Post()
  @Endpoint({
    access: APPLICANTS,
    summary: 'Apply to become a partner',
    description:
      'Needs no token. Until an application is decided, another application with the same e-mail address gets the same answer and changes nothing. Returns 404 while applications are turned off.',
    body: {
      examples: {
        shop: {
          companyName: 'My shop',
          contactName: 'Olivia Owner',
          email: 'owner@example.com',
          website: 'https://shop.example.com',
          kind: 'promotion',
          message: 'We sell to 2,000 readers.',
        },
        short: { companyName: 'My shop', email: 'owner@example.com', kind: 'voucher' },
      },
    },
    answer: { status: 202, description: 'A partner manager will decide on the application', type: Applied },
  })
  applyAsPartner(@Body() body: ApplyBody): Promise<Applied> {
    return this.applications.apply(body);
  }
}
