import { ApiSchema } from '@nestjs/swagger';
import { PARTNER_SCOPES, type PartnerScope } from '@tandem/auth';
import { ENVIRONMENTS, type Environment } from '@tandem/contracts';
import { EnumField, EnumListField, IntegerField, PageOf, TextField, TimeField, ViewOf } from '@tandem/http-api';
import { PartnerToken } from './token.entity';

/** A name by which managers recognize a token or a portal link. */
export const PurposeField = (description: string): PropertyDecorator =>
  TextField({ min: 1, max: 100, storable: true, optional: true, nullable: true, description });

export class IssueTokenBody {
  @PurposeField('What the token is for, for example the program that uses it. Only managers see it')
  name?: string | null;

  @EnumField(ENVIRONMENTS)
  environment!: Environment;

  @EnumListField(PARTNER_SCOPES, {
    optional: true,
    description:
      'Only scopes that a token of the partner’s integration kind can have in the environment. Default: all of these',
  })
  scopes?: PartnerScope[];

  @TimeField({
    optional: true,
    nullable: true,
    description: 'A time in the future. Omitted or null: the token does not expire',
  })
  expiresAt?: string | null;
}

export class RotateTokenBody {
  @IntegerField({
    min: 0,
    max: 604_800,
    optional: true,
    description: 'For how many seconds the old token stays valid. Default: a day',
  })
  overlapSeconds?: number;
}

/** A manager's view of a token. It never contains the token text itself. */
@ApiSchema({ name: 'Token' })
export class TokenDto extends ViewOf(PartnerToken, { hidden: ['seq', 'hash'] }) {}

/** The answer when a token is issued, rotated or replaced. No other answer contains the text of this token. */
@ApiSchema({ name: 'IssuedToken' })
export class IssuedTokenDto extends TokenDto {
  @TextField({ example: 'ptk_live_…w3Kd', description: 'The token itself, shown only this once' })
  token!: string;
}

export class TokenPage extends PageOf(TokenDto) {}
