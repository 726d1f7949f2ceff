import { Body, Controller, Delete, Get, Header, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Act } from '../admin/act';
import { CurrentAct, ManagerOnly } from '../admin/manager.decorators';
import { PathId } from '../admin/path-id.pipe';
import { PageQuery } from '../paging/page.dto';
import { IssueTokenBody, RotateTokenBody } from './token.dto';
import { TokenService } from './token.service';

@ApiTags('admin')
@ManagerOnly()
@Controller('admin')
export class TokenController {
  constructor(private readonly tokens: TokenService) {}

  @Get('partners/:id/tokens')
  list(@PathId('id') partnerId: string, @Query() query: PageQuery) {
    return this.tokens.listTokens(partnerId, query);
  }

  @Post('partners/:id/tokens')
  @Header('Cache-Control', 'no-store')
  issue(@PathId('id') partnerId: string, @Body() body: IssueTokenBody, @CurrentAct() act: Act) {
    return this.tokens.issueToken(partnerId, body, act);
  }

  /** The body may be left out. */
  @Post('tokens/:id/rotate')
  @Header('Cache-Control', 'no-store')
  rotate(@PathId('id') id: string, @Body() body: RotateTokenBody, @CurrentAct() act: Act) {
    return this.tokens.rotateToken(id, body.overlapSeconds, act);
  }

  @Delete('tokens/:id')
  @HttpCode(204)
  revoke(@PathId('id') id: string, @CurrentAct() act: Act): Promise<void> {
    return this.tokens.revokeToken(id, act);
  }
}
