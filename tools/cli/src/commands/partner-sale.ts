import { asTable, print, printStream } from '../print';
import { answerOf, managerApi } from '../public-api';
import { type ApiCommands, PAGE, text } from './options';

const STATUSES = [
  'pending',
  'held',
  'qualified',
  'failed',
  'revoked',
  'refunded',
  'charged_back',
  'unattributed',
] as const;

/** The time limit of an export. It is the API's limit for lines of JSON; the API's limit for a CSV file is shorter (10 minutes). */
const EXPORT = { timeoutMs: 1_800_000, isStreamed: true };

/** The filters that the list of sales and both exports of sales have. */
const RANGE = {
  environment: { choices: ['live', 'test'] as const },
  from: { type: 'string', describe: 'Only sales made at this time or later, ISO 8601' },
  to: { type: 'string', describe: 'Only sales made before this time, ISO 8601' },
} as const;

const FILTERS = {
  ...RANGE,
  'ref-id': { type: 'string', describe: 'The reference of the partner' },
  'partner-id': { type: 'string' },
  search: { type: 'string', describe: 'A sale id, a reference, or a partner' },
} as const;

const NOTE = { note: { type: 'string', describe: 'The reason, for other managers' } } as const;

/** The commands for sales, and for decisions on held sales. */
export function saleCommands(parser: ApiCommands): void {
  parser
    .command(
      'sales',
      'List sales, for example those held for review',
      (command) =>
        command
          .options(PAGE)
          .option('status', { choices: STATUSES })
          .option('oid', { type: 'string', describe: 'Also finds a sale without a partner' })
          .options(FILTERS),
      async ({ 'ref-id': refId, 'partner-id': partnerId, ...more }) => {
        const { cursor, limit, status, oid, environment, from, to, search, ...options } = more;
        const query = { cursor, limit, status, oid, refId, partnerId, environment, from, to, search };
        print(options, await answerOf(managerApi(options).GET('/admin/sales', { params: { query } })), asTable);
      },
    )
    .command(
      'export-sales',
      'Print every sale that has qualified, each as a line of JSON',
      (command) => command.options(RANGE),
      async ({ environment, from, to, ...options }) => {
        const query = { environment, from, to };
        const call = managerApi(options, EXPORT).GET('/admin/sales/export', {
          params: { query },
          parseAs: 'stream',
        });
        await printStream((await answerOf(call)) as unknown as ReadableStream<Uint8Array>);
      },
    )
    .command(
      'sales-csv',
      'Print the sales as CSV, for a spreadsheet',
      (command) =>
        command.option('status', { choices: STATUSES.filter((status) => status !== 'unattributed') }).options(FILTERS),
      async ({ 'ref-id': refId, 'partner-id': partnerId, ...more }) => {
        const { status, environment, from, to, search, ...options } = more;
        const query = { status, refId, partnerId, environment, from, to, search };
        const call = managerApi(options, EXPORT).GET('/admin/sales/export/csv', {
          params: { query },
          parseAs: 'stream',
        });
        await printStream((await answerOf(call)) as unknown as ReadableStream<Uint8Array>);
      },
    )
    .command(
      'release-sale <oid>',
      'Let a held sale qualify',
      (command) => command.positional('oid', text('The oid of the sale')).options(NOTE),
      async ({ oid, note, ...options }) => {
        const call = { params: { path: { oid } }, body: { note } };
        print(options, await answerOf(managerApi(options).POST('/admin/sales/{oid}/release', call)));
      },
    )
    .command(
      'refuse-sale <oid>',
      'Refuse a held sale, which then fails permanently',
      (command) => command.positional('oid', text('The oid of the sale')).options(NOTE),
      async ({ oid, note, ...options }) => {
        const call = { params: { path: { oid } }, body: { note } };
        print(options, await answerOf(managerApi(options).POST('/admin/sales/{oid}/refuse', call)));
      },
    )
    .command(
      'decide-sales <decision> <oid..>',
      'Release or refuse several held sales, each separately',
      (command) =>
        command
          .positional('decision', { choices: ['release', 'refuse'] as const, demandOption: true })
          .positional('oid', { type: 'string', array: true, demandOption: true, describe: 'The oids of the sales' })
          .options(NOTE),
      async ({ decision, oid: oids, note, ...options }) => {
        const call = managerApi(options).POST('/admin/sales/decisions', { body: { decision, oids, note } });
        print(options, await answerOf(call), asTable);
      },
    );
}
