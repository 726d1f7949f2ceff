import { asTable, print } from '../print';
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
          .option('ref-id', { type: 'string', describe: 'The reference of the partner' })
          .option('partner-id', { type: 'string' }),
      async ({ cursor, limit, status, oid, 'ref-id': refId, 'partner-id': partnerId, ...options }) => {
        const query = { cursor, limit, status, oid, refId, partnerId };
        print(options, await answerOf(managerApi(options).GET('/admin/sales', { params: { query } })), asTable);
      },
    )
    .command(
      'release-sale <oid>',
      'Let a held sale qualify',
      (command) => command.positional('oid', text('Of the sale')).options(NOTE),
      async ({ oid, note, ...options }) => {
        const call = { params: { path: { oid } }, body: { note } };
        print(options, await answerOf(managerApi(options).POST('/admin/sales/{oid}/release', call)));
      },
    )
    .command(
      'refuse-sale <oid>',
      'End a held sale',
      (command) => command.positional('oid', text('Of the sale')).options(NOTE),
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
