import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Act } from '../admin/act';
import { CurrentAct, ManagerOnly } from '../admin/manager.decorators';
import { PathId } from '../admin/path-id.pipe';
import { PageQuery } from '../paging/page.dto';
import { ChangePartnerBody, CreatePartnerBody } from './partner.dto';
import { PartnerService } from './partner.service';

@ApiTags('admin')
@ManagerOnly()
@Controller('admin/partners')
export class PartnerController {
  constructor(private readonly partners: PartnerService) {}

  @Get()
  list(@Query() query: PageQuery) {
    return this.partners.listPartners(query);
  }

  @Post()
  create(@Body() body: CreatePartnerBody, @CurrentAct() act: Act) {
    return this.partners.createPartner(body, act);
  }

  @Get(':id')
  get(@PathId('id') id: string) {
    return this.partners.getPartner(id);
  }

  @Patch(':id')
  change(@PathId('id') id: string, @Body() body: ChangePartnerBody, @CurrentAct() act: Act) {
    return this.partners.changePartner(id, body, act);
  }
}
