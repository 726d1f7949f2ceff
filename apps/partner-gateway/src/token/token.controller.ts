import { Body, Controller, Delete, Get, Header, HttpCode, Post, Query } from '@nestjs/common';
import { ValidationFailedError } from '@tandem/service-defaults';
import type { Act } from '../admin/act';
import { CurrentAct, ManagerOnly } from '../admin/manager.decorators';
import { PathId } from '../admin/path-id.pipe';
import { ManagerOperation } from '../openapi/operation.decorators';
import { lastPage, PageQuery } from '../paging/page.dto';
import { InvalidCursorError } from '@tandem/internal-api';
import { PartnerNotFoundError } from '../partner/partner.errors';
import {
  ISSUED_TOKEN_EXAMPLE,
  IssuedTokenDto,
  IssueTokenBody,
  RotateTokenBody,
  TOKEN_EXAMPLE,
  TokenPage,
} from './token.dto';
import { TokenAlreadyRotatedError, TokenNotActiveError, TokenNotFoundError } from './token.errors';
import { TokenService } from './token.service';

@ManagerOnly()
@Controller('admin')
export class TokenController {
  constructor(private readonly tokens: TokenService) {}

  @Get('partners/:id/tokens')
  @ManagerOperation({
    id: 'listTokens',
    tag: 'Tokens',
    summary: 'List the tokens of a partner',
    success: { description: 'A page', type: TokenPage, example: lastPage(TOKEN_EXAMPLE) },
    failures: [
      new InvalidCursorError(),
      new PartnerNotFoundError(),
      new ValidationFailedError([{ field: 'limit', message: 'limit must not be greater than 200' }]),
    ],
  })
  list(@PathId('id') partnerId: string, @Query() query: PageQuery) {
    return this.tokens.listTokens(partnerId, query);
  }

  @Post('partners/:id/tokens')
  @ManagerOperation({
    id: 'issueToken',
    tag: 'Tokens',
    summary: 'Issue a token',
    body: {
      type: IssueTokenBody,
      examples: { live: { environment: 'live', scopes: ['checkout:create', 'sales:revoke'] } },
    },
    success: {
      status: 201,
      description: 'The token, shown this once',
      type: IssuedTokenDto,
      example: ISSUED_TOKEN_EXAMPLE,
      headers: ['Cache-Control'],
    },
    failures: [
      new PartnerNotFoundError(),
      new ValidationFailedError([{ field: 'scopes', message: 'scopes must contain at least 1 elements' }]),
    ],
  })
  @Header('Cache-Control', 'no-store')
  issue(@PathId('id') partnerId: string, @Body() body: IssueTokenBody, @CurrentAct() act: Act) {
    return this.tokens.issueToken(partnerId, body, act);
  }

  /** The body may be left out. */
  @Post('tokens/:id/rotate')
  @ManagerOperation({
    id: 'rotateToken',
    tag: 'Tokens',
    summary: 'Rotate a token',
    description: 'Makes a successor with the same rights; the old token works until the overlap is over.',
    body: { type: RotateTokenBody, required: false, examples: { anHour: { overlapSeconds: 3600 } } },
    success: {
      status: 201,
      description: 'The successor, shown this once',
      type: IssuedTokenDto,
      example: ISSUED_TOKEN_EXAMPLE,
      headers: ['Cache-Control'],
    },
    failures: [
      new TokenNotFoundError(),
      new TokenNotActiveError(),
      new TokenAlreadyRotatedError(),
      new ValidationFailedError([
        { field: 'overlapSeconds', message: 'overlapSeconds must not be greater than 604800' },
      ]),
    ],
  })
  @Header('Cache-Control', 'no-store')
  rotate(@PathId('id') id: string, @Body() body: RotateTokenBody, @CurrentAct() act: Act) {
    return this.tokens.rotateToken(id, body.overlapSeconds, act);
  }

  @Delete('tokens/:id')
  @ManagerOperation({
    id: 'revokeToken',
    tag: 'Tokens',
    summary: 'Revoke a token',
    description: 'At once. A repeat changes nothing.',
    success: { status: 204, description: 'The token is revoked' },
    failures: [new TokenNotFoundError()],
  })
  @HttpCode(204)
  revoke(@PathId('id') id: string, @CurrentAct() act: Act): Promise<void> {
    return this.tokens.revokeToken(id, act);
  }
}
