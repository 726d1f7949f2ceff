import { asTable, print } from '../print';
import { answerOf, managerApi } from '../public-api';
import { type ApiCommands, number, PAGE, text, whole } from './options';

const STATUSES = ['active', 'inactive'] as const;

const GROUP = {
  name: { type: 'string', demandOption: true },
  product: { type: 'string', demandOption: true },
  tier: { type: 'string' },
  'period-months': { ...number('The length of the subscription in months'), demandOption: true },
  currency: { type: 'string', demandOption: true, describe: 'ISO 4217' },
  environment: { choices: ['live', 'test'] as const },
  status: { choices: STATUSES },
  stock: number('How many coupons can be created'),
  'valid-from': { type: 'string', describe: 'ISO 8601 with a time zone' },
  'valid-until': { type: 'string', describe: 'ISO 8601 with a time zone' },
} as const;

/** The commands for voucher groups, from which voucher partners create coupons. */
export function voucherGroupCommands(parser: ApiCommands): void {
  parser
    .command(
      'add-voucher-group <partner>',
      'Create a group from which a voucher partner can create coupons',
      (command) => command.positional('partner', text("The partner's id")).options(GROUP),
      async ({ partner: id, name, product, tier, currency, environment, status, ...options }) => {
        const body = {
          name,
          product: { name: product, tier, periodMonths: whole('period-months', options['period-months']) ?? 0 },
          currency,
          environment,
          status,
          stock: whole('stock', options.stock),
          validFrom: options['valid-from'],
          validUntil: options['valid-until'],
        };
        const params = { path: { id } };
        print(
          options,
          await answerOf(managerApi(options).POST('/admin/partners/{id}/voucher-groups', { params, body })),
        );
      },
    )
    .command(
      'list-voucher-groups <partner>',
      "List a partner's voucher groups",
      (command) => command.positional('partner', text("The partner's id")).options(PAGE),
      async ({ partner: id, cursor, limit, ...options }) => {
        const params = { path: { id }, query: { cursor, limit } };
        const call = managerApi(options).GET('/admin/partners/{id}/voucher-groups', { params });
        print(options, await answerOf(call), asTable);
      },
    )
    .command(
      'set-voucher-group <voucher-group-id>',
      'Change the status or the stock of a voucher group',
      (command) =>
        command
          .positional('voucher-group-id', text("The group's id"))
          .option('status', { choices: STATUSES })
          .option('stock', { type: 'string', describe: 'A number, or none for no limit' }),
      async ({ 'voucher-group-id': id, status, stock, ...options }) => {
        const body = { status, stock: stock === 'none' ? null : whole('stock', stock) };
        const call = managerApi(options).PATCH('/admin/voucher-groups/{id}', { params: { path: { id } }, body });
        print(options, await answerOf(call));
      },
    );
}
