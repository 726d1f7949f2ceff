import { asTable, print } from '../print';
import { answerOf, managerApi } from '../public-api';
import { type ApiCommands, ENVIRONMENT, PAGE, text } from './options';

/** The commands for endpoints, deliveries and their replay. */
export function postbackCommands(parser: ApiCommands): void {
  parser
    .command(
      'postback <partner>',
      "Show the state of a partner's postback endpoint",
      (command) => command.positional('partner', text("The partner's id")).options(ENVIRONMENT),
      async ({ partner: id, environment, ...options }) => {
        const params = { path: { id }, query: { environment } };
        print(options, await answerOf(managerApi(options).GET('/admin/partners/{id}/postback', { params })));
      },
    )
    .command(
      'enable-postback <partner>',
      "Enable a partner's disabled endpoint; its held deliveries stay held until they are replayed",
      (command) => command.positional('partner', text("The partner's id")).options(ENVIRONMENT),
      async ({ partner: id, environment, ...options }) => {
        const params = { path: { id }, query: { environment } };
        print(options, await answerOf(managerApi(options).POST('/admin/partners/{id}/postback/enable', { params })));
      },
    )
    .command(
      'test-postback <partner>',
      "Send a sample postback to a partner's endpoint, and show its answer",
      (command) => command.positional('partner', text("The partner's id")).options(ENVIRONMENT),
      async ({ partner: id, environment, ...options }) => {
        const params = { path: { id }, query: { environment } };
        print(options, await answerOf(managerApi(options).POST('/admin/partners/{id}/postback/test', { params })));
      },
    )
    .command(
      'replay-deliveries <partner>',
      "Replay a partner's deliveries of a time range: the failed and held ones or, with --status, those with that status",
      (command) =>
        command
          .positional('partner', text("The partner's id"))
          .options(ENVIRONMENT)
          .option('from', { type: 'string', demandOption: true, describe: 'For example 2026-03-01T00:00:00Z' })
          .option('to', { type: 'string', demandOption: true, describe: 'Exclusive' })
          .option('status', {
            choices: ['pending', 'delivered', 'failed', 'held', 'all'] as const,
            describe: 'all: failed, held and delivered',
          }),
      async ({ partner: id, environment, from, to, status, ...options }) => {
        const params = { path: { id }, query: { environment } };
        const call = managerApi(options).POST('/admin/partners/{id}/deliveries/replay', {
          params,
          body: { from, to, status },
        });
        print(options, await answerOf(call));
      },
    )
    .command(
      'deliveries <partner>',
      "List a partner's deliveries with their attempts",
      (command) =>
        command
          .positional('partner', text("The partner's id"))
          .options({ ...ENVIRONMENT, ...PAGE })
          .option('status', { choices: ['pending', 'delivered', 'failed', 'held'] as const })
          .option('failing', { type: 'boolean', describe: 'Only those that are failing now and will be retried' })
          .option('oid', { type: 'string', describe: 'Only for this sale' })
          .option('ref-id', { type: 'string', describe: 'Only with this reference of the partner' }),
      async ({ partner: id, environment, cursor, limit, status, failing, oid, 'ref-id': refId, ...options }) => {
        const only = failing ? ('true' as const) : undefined;
        const params = { path: { id }, query: { environment, cursor, limit, status, failing: only, oid, refId } };
        const call = managerApi(options).GET('/admin/partners/{id}/deliveries', { params });
        print(options, await answerOf(call), asTable);
      },
    )
    .command(
      'replay-delivery <partner> <delivery>',
      'Send a delivery again with the same webhook-id',
      (command) =>
        command
          .positional('partner', text("The partner's id"))
          .positional('delivery', text("The delivery's id"))
          .options(ENVIRONMENT),
      async ({ partner: id, delivery: deliveryId, environment, ...options }) => {
        const params = { path: { id, deliveryId }, query: { environment } };
        const call = managerApi(options).POST('/admin/partners/{id}/deliveries/{deliveryId}/replay', { params });
        print(options, await answerOf(call));
      },
    );
}
