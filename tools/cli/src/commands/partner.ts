import { whyOfSale } from '../story/why-of-sale';
import { answerOf, apiOptions, managerApi, urlsOfApps } from '../public-api';
import { STORY_TIMEOUT_MS } from '../requests';
import { asTable, print } from '../print';
import { type Commands, PAGE, text } from './options';
import { postbackCommands } from './partner-postback';
import { accountCommands } from './partner-account';
import { applicationCommands } from './partner-application';
import { attentionCommand } from './partner-attention';
import { publishCommand } from './partner-publish';
import { saleCommands } from './partner-sale';
import { statisticsCommands } from './partner-statistics';

/** `tandem partner`: the operations of a partner manager, through the manager API. */
export const partnerCommands = (parser: Commands): Commands =>
  parser.command('partner', 'Partners, tokens, promotions, vouchers, sales and postbacks', (group) => {
    const commands = group.options(apiOptions('TANDEM_MANAGER_TOKEN', 'partner:manage'));
    accountCommands(commands);
    attentionCommand(commands);
    publishCommand(commands);
    applicationCommands(commands);
    saleCommands(commands);
    statisticsCommands(commands);
    postbackCommands(commands);
    return commands
      .command(
        'why <oid>',
        'Explain why a postback was not sent, and what to do next',
        (command) =>
          command
            .positional('oid', text("A sale's oid, or a partner's own reference"))
            .option('partner', { type: 'string', describe: 'The partner that expects the sale' }),
        (options) => whyOfSale(managerApi(options, { timeoutMs: STORY_TIMEOUT_MS }), options, urlsOfApps(options)),
      )
      .command(
        'audit',
        'List the actions of managers and partners, newest first',
        (command) =>
          command
            .options(PAGE)
            .option('actor', { type: 'string', describe: 'Who did it' })
            .option('action', { type: 'string', describe: 'For example sale.released' })
            .option('entity-id', { type: 'string', describe: 'What was changed' })
            .option('partner-id', {
              type: 'string',
              describe: 'Only changes of this partner and of everything that belongs to it',
            })
            .option('from', { type: 'string', describe: 'For example 2026-03-01T00:00:00Z' })
            .option('to', { type: 'string', describe: 'Exclusive' }),
        async ({ 'entity-id': entityId, 'partner-id': partnerId, ...more }) => {
          const { cursor, limit, actor, action, from, to, ...options } = more;
          const query = { cursor, limit, actor, action, entityId, partnerId, from, to };
          print(options, await answerOf(managerApi(options).GET('/admin/audit', { params: { query } })), asTable);
        },
      )
      .demandCommand(1, 'Name a command.')
      .strict();
  });
