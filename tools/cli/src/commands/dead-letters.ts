import type * as Messaging from '@tandem/messaging';
import { APPS } from '../apps';
import { inDatabase } from '../database';
import { print } from '../print';
import { databaseUrl } from '../database-url';
import { UsageError } from '../usage.errors';
import type { Commands } from './options';

const PAGE = 1_000;
const NAMES = APPS.map(({ name }) => name);

const COMMON = {
  app: { choices: NAMES },
  topic: { type: 'string', describe: 'Only this topic' },
  url: {
    type: 'string',
    describe: 'URL of the database as superuser (DATABASE_URL); default: the stack that runs here',
  },
} as const;

/** `tandem dead-letters`: events that could not be handled, and their replay. */
export const deadLetterCommands = (parser: Commands): Commands =>
  parser.command('dead-letters', 'Events that an app could not handle: list, replay', (group) =>
    group
      .command(
        'list',
        'List dead letters, with the reason of each',
        (command) =>
          command
            .options(COMMON)
            .option('key', { type: 'string', describe: 'The oid of a payment or sale, or the KRN of a user' })
            .option('all', { type: 'boolean', describe: 'Include those that were already replayed' }),
        async ({ app, topic, key, all, url, ...options }) => {
          const found = await listAll(databaseUrl(url), app, { topic, key, replayed: all });
          print(options, found, (letters) => letters.map(lineOf).join('\n') || 'No dead letters.');
        },
      )
      .command(
        'replay',
        'Have the running app handle dead letters again, through the same inbox',
        (command) =>
          command.options(COMMON).demandOption('app').option('id', {
            type: 'string',
            array: true,
            describe: 'The id from the list; can be repeated',
          }),
        async ({ app, topic, id = [], url }) => {
          if (id.length > 0 === (topic !== undefined)) throw new UsageError('replay needs either --id or --topic');
          const wrong = id.find((text) => !/^\d{1,18}$/.test(text));
          if (wrong !== undefined) throw new UsageError(`"${wrong}" is not the id of a dead letter`);
          const target = topic === undefined ? { ids: id } : { topic };
          const { requestReplay } = await messaging();
          const count = await inDatabase(databaseUrl(url), (client) => requestReplay(client, target), roleOf(app));
          if (count === 0) throw new Error('no dead letter matches, or all that match were already replayed');
          console.log(
            `${count} ${count === 1 ? 'replay' : 'replays'} requested; see the outcomes with: npm run dead-letters -- list --app ${app} --all`,
          );
        },
      )
      .demandCommand(1, 'Name a command.')
      .strict(),
  );

type Letter = Awaited<ReturnType<typeof Messaging.listDeadLetters>>['items'][number] & { readonly app: string };

/** Loads the lib only when a command needs the lib, because the load is slow. */
const messaging = (): Promise<typeof Messaging> => import('@tandem/messaging');

const roleOf = (app: string | undefined): string => APPS.find(({ name }) => name === app)?.role ?? '';

/** Lists the dead letters of one app, or of every app whose dead letters are in this database. Apps may have separate databases. */
async function listAll(url: string, app: string | undefined, filter: Messaging.DeadLetterFilter): Promise<Letter[]> {
  const { listDeadLetters } = await messaging();
  const names = app === undefined ? await appsIn(url) : [app];
  const found: Letter[] = [];
  for (const name of names) {
    let cursor: string | undefined;
    do {
      const page = await inDatabase(
        url,
        (client) => listDeadLetters(client, { ...filter, limit: PAGE, cursor }),
        roleOf(name),
      );
      found.push(...page.items.map((letter) => ({ app: name, ...letter })));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
  return found;
}

const appsIn = (url: string): Promise<string[]> =>
  inDatabase(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select name from unnest($1::text[], $2::text[]) as app (name, role)
       where to_regclass(role || '.dead_letter') is not null`,
      [NAMES, APPS.map(({ role }) => role)],
    );
    return rows.map(({ name }) => name);
  });

function lineOf({
  app,
  id,
  eventId,
  topic,
  key,
  attempts,
  failedAt,
  reason,
  replayRequestedAt,
  replayedAt,
}: Letter): string {
  const state = replayedAt ? ', replayed' : replayRequestedAt ? ', replay requested' : '';
  return `${app} ${id}  ${topic} ${key ?? '–'}  ${failedAt.toISOString()}  ${attempts} attempts${state}\n    event ${eventId}: ${reason}`;
}
