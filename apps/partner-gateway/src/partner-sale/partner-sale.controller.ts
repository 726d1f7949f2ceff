import type { Readable } from 'node:stream';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PathId } from '../admin/path-id.pipe';
import { CurrentCall, type PartnerCall } from '../relay/current-call.decorator';
import { SubscriptionNotFoundError } from '../sale/sale.errors';
import { partners } from '../token/partner.access';
import { PartnerTokenAuthenticator } from '../token/partner-token.authenticator';
import { PartnerSale, PartnerSaleFilterQuery, PartnerSalePage, PartnerSalesQuery } from './partner-sale.dto';
import { PartnerSaleExport } from './partner-sale-export';
import { PartnerSaleService } from './partner-sale.service';

const NEEDED = { kind: 'promotion', scope: 'sales:read' } as const;
const ACCESS = partners(NEEDED);
const NAMES = 'oid,refId,status,reason,soldAt,currency,amount,emailMasked,qualifiedAt,revokedAt,closedAt';
const SALE =
  'sub-1001,order-1,qualified,,2026-03-01T12:00:00.000Z,USD,49.95,j***e@example.com,2026-03-01T12:00:01.000Z,,';

@ApiTags('Sales')
@Controller('api/v2/partner/sales')
export class PartnerSaleController {
  constructor(
    private readonly sales: PartnerSaleService,
    private readonly exports: PartnerSaleExport,
    private readonly authenticator: PartnerTokenAuthenticator,
  ) {}

  @Get()
  @Endpoint({
    access: ACCESS,
    summary: 'List your sales',
    description:
      'Sales in every state, each with the state of its postback. Newest first, by the time of the sale. Without `refId`, later pages are as fast as the first.',
    answer: { description: 'A page', type: PartnerSalePage },
    noStore: true,
  })
  listSales(@CurrentCall() call: PartnerCall, @Query() query: PartnerSalesQuery) {
    return this.sales.list(call, query);
  }

  @Get('export')
  @Endpoint({
    access: ACCESS,
    summary: 'Export your sales as CSV',
    description:
      "Every sale that matches the filters, newest first, after a header line. A cell that a spreadsheet would read as a formula begins with `'`. If the connection closes before the end of the answer, the file is incomplete: repeat the request. A sale that is paid while the export runs can be missing, because the payment changes the time of the sale. To miss no sale, set `to`, and start the next export from that time.",
    answer: {
      description: 'The file, streamed',
      contentType: 'text/csv',
      schema: { type: 'string' },
      example: `${NAMES}\r\n${SALE}\r\n`,
    },
    noStore: true,
  })
  async exportSales(
    @CurrentCall() call: PartnerCall,
    @Query() query: PartnerSaleFilterQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    const csv = await this.exports.start(call, query, () => this.authenticator.confirm(request, NEEDED));
    // The headers are set only after the first page was read, so that browsers do not offer an error as a download.
    void reply.type('text/csv; charset=utf-8').header('Content-Disposition', 'attachment; filename="sales.csv"');
    return csv;
  }

  @Get(':oid')
  @Endpoint({
    access: ACCESS,
    summary: 'Read one of your sales',
    answer: { description: 'The sale', type: PartnerSale },
    errors: [SubscriptionNotFoundError],
    noStore: true,
  })
  getSale(@CurrentCall() call: PartnerCall, @PathId('oid', SubscriptionNotFoundError) oid: string) {
    return this.sales.get(call, oid);
  }
}
