import type { Readable } from 'node:stream';
import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import type { FastifyReply } from 'fastify';
import { MANAGERS } from '../admin/manager.access';
import { ExportQuery, SalePage, SalesCsvQuery, SalesQuery } from './managed-sale.dto';
import { CSV_COLUMNS, ManagedSaleExport } from './managed-sale-export';
import { ManagedSaleService } from './managed-sale.service';

const LINE = `${JSON.stringify({
  oid: 'sub-1001',
  partnerId: 'ptn_7c9e6679742540de944be07fc1f90ae7',
  environment: 'live',
  promotionId: 'prm_0f8fad5bd9cb469fa16570867728950e',
  sharedId: 'order-1',
  emailMasked: 'j***e@example.com',
  currency: 'USD',
  items: [{ price: '49.95', quantity: '1', category: 'Advanced, 1 year', tier: 'advanced', sku: 'Sell' }],
  soldAt: '2026-03-01T12:00:00.000Z',
  qualifiedAt: '2026-03-01T12:00:01.000Z',
  sequence: 1,
  status: 'qualified',
  revokedAt: null,
  revokeReason: null,
  closedAt: null,
})}\n`;

const ROW =
  'sub-1001,ptn_7c9e6679742540de944be07fc1f90ae7,My shop,live,order-1,qualified,2026-03-01T12:00:00.000Z,USD,49.95,j***e@example.com,2026-03-01T12:00:01.000Z,,';

@ApiTags('Held sales')
@Controller('admin/sales')
export class ManagedSaleController {
  constructor(
    private readonly sales: ManagedSaleService,
    private readonly exports: ManagedSaleExport,
  ) {}

  @Get()
  @Endpoint({
    access: MANAGERS,
    summary: 'List sales',
    description:
      'Sales of all partners, newest first: sorted by arrival, or by the time of the sale when `environment`, `from`, `to` or `search` is given. `status=held` lists the sales that await a decision. `oid` also finds a purchase that is not a partner’s sale: `unattributedReason` states why.',
    answer: { description: 'A page', type: SalePage },
  })
  listSales(@Query() query: SalesQuery) {
    return this.sales.listSales(query);
  }

  @Get('export')
  @Endpoint({
    access: MANAGERS,
    summary: 'Export the sales that have qualified',
    description:
      'For teams that need sales older than the oldest event in the topics. Each line is one sale as JSON, newest first, with the fields of `sale.completed`, the current state of the sale, and `sequence`, the `ce_sequence` of its last event. If the connection closes before the end of the answer, the export is incomplete: repeat the request.',
    answer: {
      description: 'The lines, streamed',
      contentType: 'application/x-ndjson',
      schema: { type: 'string' },
      example: LINE,
    },
    noStore: true,
  })
  exportAllSales(@Query() query: ExportQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<Readable> {
    void reply.type('application/x-ndjson; charset=utf-8');
    return this.exports.startLines(query);
  }

  @Get('export/csv')
  @Endpoint({
    access: MANAGERS,
    summary: 'Export sales as CSV',
    description:
      "For spreadsheets: every partner's sale that matches the filters, in every status, newest first by the time of the sale, after a header line. A cell that a spreadsheet would read as a formula begins with `'`. If the connection closes before the end of the answer, the file is incomplete: repeat the request. A sale that is paid while the export runs can be missing, because the payment changes the time of the sale. To miss no sale, set `to`, and start the next export from that time.",
    answer: {
      description: 'The file, streamed',
      contentType: 'text/csv',
      schema: { type: 'string' },
      example: `${CSV_COLUMNS.join()}\r\n${ROW}\r\n`,
    },
    noStore: true,
  })
  async exportSalesCsv(
    @Query() query: SalesCsvQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    const csv = await this.exports.startCsv(query);
    // The headers are set only after the first page was read, so that browsers do not offer an error as a download.
    void reply.type('text/csv; charset=utf-8').header('Content-Disposition', 'attachment; filename="sales.csv"');
    return csv;
  }
}
