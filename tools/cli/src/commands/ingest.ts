import { userInfo } from 'node:os';
import { asFields, asTable, print } from '../print';
import { findIds, listWebhooks, type Reason, replayWebhooks, showWebhook } from '../webhooks';
import { UsageError } from '../usage.errors';
import { type Commands, PAGE, text } from './options';

/** The filters of `list`, and of a `replay` without ids. */
const FILTERS = {
  integration: { choices: ['payments', 'array'] as const },
  type: { type: 'string', describe: 'For example subscription.purchased or alerts/push/push' },
  outcome: { choices: ['accepted', 'ignored'] as const },
  since: { type: 'string', describe: 'ISO 8601 with a time zone (default: 7 days ago)' },
  until: { type: 'string', describe: 'ISO 8601 with a time zone' },
  oid: { type: 'string', describe: 'Only for this subscription' },
  user: { type: 'string', describe: 'A KRN (payments) or an arrayUserId (array)' },
} as const;

const REASON = {
  reason: { type: 'string', describe: 'The reason; it is logged with your name' },
  operator: { type: 'string', describe: 'Your name (default: the user of this machine)' },
} as const;

type Given = { [K in keyof typeof FILTERS]?: string };
const filterOf = ({ integration, type, outcome, since, until, oid, user }: Given) => ({
  integration,
  type,
  outcome,
  since,
  until,
  oid,
  user,
});

/** Returns the operator and the reason. @throws UsageError without a reason */
function reasonOf({ operator = process.env.USER || userInfo().username, reason }: Partial<Reason>): Reason {
  if (!reason) throw new UsageError('give a --reason: it is logged');
  return { operator, reason };
}

/** `tandem ingest`: lists received webhooks, and publishes them again under the same event ids. */
export const ingestCommands = (parser: Commands): Commands =>
  parser.command('ingest', 'Received webhooks: list, show, replay', (group) =>
    group
      .command(
        'list',
        'List webhooks, newest first',
        (command) => command.options({ ...FILTERS, ...PAGE }),
        async ({ cursor, limit, ...options }) => {
          const page = await listWebhooks({ ...filterOf(options), cursor, limit });
          const rowOf = ({ receivedAt, outcome, type, oid, user, id }: (typeof page.items)[number]) => ({
            receivedAt,
            outcome,
            type,
            oid,
            user,
            id,
          });
          print(options, page, () => asTable(page, { none: 'No webhooks.', rowOf }));
        },
      )
      .command(
        'show <id>',
        'Show a webhook with its body and events',
        (command) =>
          command
            .positional('id', text("The webhook's id"))
            .option('whole', { type: 'boolean', describe: 'Do not mask personal data; needs --reason' })
            .options(REASON),
        async ({ id, whole, ...options }) => {
          const webhook = await showWebhook(id, whole ? reasonOf(options) : null);
          print(options, webhook, ({ body, events, ...facts }) =>
            [
              asFields(facts),
              ...events.map(({ topic, eventId }) => `${'event'.padEnd(12)} ${topic} ${eventId}`),
              body === null ? 'The body cannot be decrypted with the current keys.' : JSON.stringify(body, null, 2),
            ].join('\n'),
          );
        },
      )
      .command(
        'replay [ids..]',
        'Publish webhooks again, under the same event ids',
        (command) =>
          command
            .positional('ids', { type: 'string', array: true, describe: 'The ids of webhooks; or use the filters' })
            .options({ ...FILTERS, ...REASON })
            .option('yes', {
              type: 'boolean',
              describe: 'Replay the webhooks that match the filters; without it, only count them',
            }),
        replay,
      )
      .epilogue(
        'For another stack, set WEBHOOK_INGEST_URL and OPERATOR_PRIVATE_KEY; the apps of that stack must have the public key. A consumer skips events that it has already handled.',
      )
      .demandCommand(1, 'Name a command.')
      .strict(),
  );

async function replay({
  ids = [],
  yes,
  json,
  ...options
}: Given & Partial<Reason> & { ids?: string[]; yes?: boolean; json?: boolean }): Promise<void> {
  const reason = reasonOf(options);
  const filter = filterOf(options);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (ids.length > 0 === isFiltered) throw new UsageError('replay needs either IDs or filters');
  const chosen = isFiltered ? await findIds(filter) : ids;
  if (isFiltered && !yes) {
    console.log(`${chosen.length} webhooks match: add --yes to publish them again`);
    return;
  }
  const items = await replayWebhooks(chosen, reason);
  const failed = items.filter(({ outcome }) => outcome !== 'published');
  if (failed.length > 0) process.exitCode = 1;
  print({ json }, items, () =>
    [
      `${items.length - failed.length} of ${chosen.length} published again`,
      ...failed.map(({ id, outcome }) => `${outcome.replace('_', ' ').padEnd(11)} ${id}`),
    ].join('\n'),
  );
}
