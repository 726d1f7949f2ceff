import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import type { Act } from '../audit/act';
import { CurrentAct, MANAGERS } from '../admin/manager.access';
import { PathId } from '../admin/path-id.pipe';
import { PageQuery } from '../paging/page.dto';
import { PartnerNotFoundError } from '../partner/partner.errors';
import { IssuedTokenDto, IssueTokenBody, RotateTokenBody, TokenPage } from './token.dto';
import {
  PortalSessionTokenError,
  TokenAlreadyRotatedError,
  TokenNotActiveError,
  TokenNotFoundError,
} from './token.errors';
import { TokenService } from './token.service';

@ApiTags('Tokens')
@Controller('admin')
export class TokenController {
  constructor(private readonly tokens: TokenService) {}

  @Get('partners/:id/tokens')
  @Endpoint({
    access: MANAGERS,
    summary: 'List the tokens of a partner',
    answer: { description: 'A page', type: TokenPage },
    errors: [PartnerNotFoundError],
  })
  listTokens(@PathId('id') partnerId: string, @Query() query: PageQuery) {
    return this.tokens.listTokens(partnerId, query);
  }

  @Post('partners/:id/tokens')
  @Endpoint({
    access: MANAGERS,
    summary: 'Issue a token',
    body: {
      examples: {
        allScopes: { environment: 'live' },
        someScopes: { name: 'Web shop', environment: 'live', scopes: ['checkout:create', 'sales:revoke'] },
      },
    },
    answer: { status: 201, description: 'The token, shown only this once', type: IssuedTokenDto },
    errors: [PartnerNotFoundError],
    noStore: true,
  })
  issueToken(@PathId('id') partnerId: string, @Body() body: IssueTokenBody, @CurrentAct() act: Act) {
    return this.tokens.issueToken(partnerId, body, act);
  }

  @Post('tokens/:id/rotate')
  @Endpoint({
    access: MANAGERS,
    summary: 'Rotate a token',
    description:
      'Creates a successor with the same rights. The old token stays valid until the overlap ends, or until it expires if that is earlier.',
    body: { examples: { anHour: { overlapSeconds: 3600 } } },
    answer: { status: 201, description: 'The successor, shown only this once', type: IssuedTokenDto },
    errors: [TokenNotFoundError, TokenNotActiveError, TokenAlreadyRotatedError, PortalSessionTokenError],
    noStore: true,
  })
  rotateToken(@PathId('id') id: string, @Body() body: RotateTokenBody, @CurrentAct() act: Act) {
    return this.tokens.rotateToken(id, body.overlapSeconds, act);
  }

  @Post('tokens/:id/leaked')
  @Endpoint({
    access: MANAGERS,
    summary: 'Replace a leaked token',
    description: 'Creates a successor with the same rights, and revokes the old token immediately.',
    answer: { status: 201, description: 'The successor, shown only this once', type: IssuedTokenDto },
    errors: [TokenNotFoundError, TokenNotActiveError, TokenAlreadyRotatedError, PortalSessionTokenError],
    noStore: true,
  })
  replaceLeakedToken(@PathId('id') id: string, @CurrentAct() act: Act) {
    return this.tokens.replaceLeakedToken(id, act);
  }

  @Delete('tokens/:id')
  @Endpoint({
    access: MANAGERS,
    summary: 'Revoke a token',
    description: 'Takes effect immediately. A repeat changes nothing.',
    answer: { status: 204, description: 'The token is revoked' },
    errors: [TokenNotFoundError],
  })
  revokeToken(@PathId('id') id: string, @CurrentAct() act: Act): Promise<void> {
    return this.tokens.revokeToken(id, act);
  }
}
