import { ApiSchema } from '@nestjs/swagger';
import { EnumField, isEmail, LINE_OF_TEXT, PageOf, RuleField, TextField, ViewOf } from '@tandem/http-api';
import { PageQuery } from '../paging/page.dto';
import { PARTNER_KINDS, type PartnerKind } from '../partner/partner.entity';
import { APPLICATION_STATUSES, type ApplicationStatus, PartnerApplication } from './application.entity';
import { isWebsite, MAX_WEBSITE } from './application.rules';

/** The body of a request to become a partner. */
export class ApplyBody {
  @TextField({ min: 1, max: 200, ...LINE_OF_TEXT })
  companyName!: string;

  @TextField({ min: 1, max: 200, ...LINE_OF_TEXT, optional: true, nullable: true, description: 'The contact person' })
  contactName?: string | null;

  @RuleField(isEmail, {
    schema: { format: 'email', maxLength: 254 },
    message: '$property must be an e-mail address of at most 254 characters',
    description: 'Stored encrypted',
  })
  email!: string;

  @RuleField(isWebsite, {
    schema: { format: 'uri', maxLength: MAX_WEBSITE },
    message: `$property must be an http or https URL of at most ${MAX_WEBSITE} characters`,
    optional: true,
    nullable: true,
  })
  website?: string | null;

  @EnumField(PARTNER_KINDS, {
    description: '`promotion`: sells with a discount of its own. `voucher`: buys coupon codes',
  })
  kind!: PartnerKind;

  @TextField({ min: 1, max: 2000, storable: true, optional: true, nullable: true, description: 'Stored encrypted' })
  message?: string | null;
}

/** The answer to an applicant. It contains only the application's id. */
export class Applied {
  @TextField({ example: 'pap_2b1f0c9d8e7a4b6c9d0e1f2a3b4c5d6e' })
  id!: string;
}

export class ApplicationsQuery extends PageQuery {
  @EnumField(APPLICATION_STATUSES, { optional: true })
  status?: ApplicationStatus;
}

/** Those fields of an application that are encrypted in the database. In this object, they are in clear text. */
export interface Applicant {
  readonly contactName: string | null;
  readonly email: string;
  readonly message: string | null;
}

/** A manager's view of an application. */
@ApiSchema({ name: 'PartnerApplication' })
export class ApplicationDto
  extends ViewOf(PartnerApplication, { hidden: ['seq', 'contactEncrypted', 'emailHash', 'updatedAt'] })
  implements Applicant
{
  @TextField({ nullable: true, example: 'Olivia Owner' })
  contactName!: string | null;

  @TextField({ format: 'email', example: 'owner@example.com' })
  email!: string;

  @TextField({ nullable: true, example: 'We sell to 2,000 readers.' })
  message!: string | null;
}

export class ApplicationPage extends PageOf(ApplicationDto) {}

export class RejectBody {
  @TextField({
    max: 1000,
    storable: true,
    optional: true,
    nullable: true,
    description: 'The reason, shown to managers',
  })
  note?: string | null;
}
