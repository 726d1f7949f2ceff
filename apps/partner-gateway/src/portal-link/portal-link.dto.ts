import { ApiSchema } from '@nestjs/swagger';
import { PARTNER_SCOPES } from '@tandem/auth';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import {
  EnumField,
  EnumListField,
  FlagField,
  IntegerField,
  PageOf,
  TextField,
  TimeField,
  ViewOf,
} from '@tandem/http-api';
import { PurposeField } from '../token/token.dto';
import { PortalLink } from './portal-link.entity';

const DAY_SECONDS = 86_400;

export class CreatePortalLinkBody {
  @PurposeField('Whom the link is for, for example a person or a team. Only managers see it')
  name?: string | null;

  @EnumField(ENVIRONMENTS)
  environment!: Environment;

  @FlagField({ optional: true, default: false, description: 'Whether the partner can only read' })
  readOnly = false;

  @IntegerField({
    min: 60,
    max: 7 * DAY_SECONDS,
    optional: true,
    default: DAY_SECONDS,
    description: 'How long the link can be opened, in seconds',
  })
  lifetimeSeconds = DAY_SECONDS;
}

/** A manager's view of a portal link. It never contains the link's code. */
@ApiSchema({ name: 'PortalLink' })
export class PortalLinkDto extends ViewOf(PortalLink, { hidden: ['seq', 'codeHash'] }) {}

/** The answer to the creation of a link. No other answer contains the link's URL. */
@ApiSchema({ name: 'CreatedPortalLink' })
export class CreatedPortalLinkDto extends PortalLinkDto {
  @TextField({
    example: 'https://partners.example.com/console/portal#c0de…',
    description:
      'The URL for the partner to open, shown only this once. The code is in the fragment, which browsers do not send to servers',
  })
  url!: string;
}

export class PortalLinkPage extends PageOf(PortalLinkDto) {}

/** The session that a partner gets in exchange for a portal link. */
export class PortalSession {
  @TextField({ example: 'ptk_live_…w3Kd', description: 'A partner token, shown only this once' })
  token!: string;

  @TimeField({ description: 'The end of the session, 12 hours after its start' })
  expiresAt!: Date;

  @EnumField(ENVIRONMENTS)
  environment!: Environment;

  @EnumListField(PARTNER_SCOPES, { example: ['sales:read', 'postback:read'] })
  scopes!: readonly string[];
}
