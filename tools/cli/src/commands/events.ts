import { inDatabase } from '../database';
import { asTable, print } from '../print';
import { databaseUrl } from '../database-url';
import { type Commands, text } from './options';

interface Group {
  readonly group: string;
  readonly topic: string;
  readonly unread: number;
  readonly oldestAt: Date | null;
  readonly members: number;
}

const URL_OPTION = {
  url: {
    type: 'string',
    describe: 'URL of the database as superuser (DATABASE_URL); default: the stack that runs here',
  },
} as const;

/** `tandem events`: the consumer groups of the Postgres bus. */
export const eventCommands = (parser: Commands): Commands =>
  parser.command('events', 'Consumer groups of the Postgres bus', (group) =>
    group
      .command(
        'groups',
        'List the progress of each group',
        (command) => command.options(URL_OPTION),
        async ({ url, ...options }) => {
          const items = await inDatabase(databaseUrl(url), async (client) => {
            const { rows } = await client.query<Group>(
              `select group_name as "group", topic, events::float8 as "unread", oldest_at as "oldestAt", members
               from bus.group_lag order by group_name, topic`,
            );
            return rows;
          });
          print(options, items, () =>
            asTable(
              { items: items.map((row) => ({ ...row, oldestAt: row.oldestAt?.toISOString() ?? null })) },
              { none: 'No group has read from the Postgres bus of this database.' },
            ),
          );
        },
      )
      .command(
        'abandon <group>',
        'Delete the position of a group that will not return',
        (command) => command.positional('group', text('The name of the group')).options(URL_OPTION),
        async ({ group: name, url }) => {
          await inDatabase(databaseUrl(url), async (client) => {
            const { rows } = await client.query<{ members: number }>(
              'select members from bus.group_lag where group_name = $1',
              [name],
            );
            if (rows.length === 0) throw new Error(`there is no group "${name}"`);
            if (rows.some(({ members }) => members > 0)) {
              throw new Error(
                `a process of the group ${name} is running: stop it first, or the group reappears immediately`,
              );
            }
            await client.query('delete from bus.group_cursor where group_name = $1', [name]);
          });
          console.log(`${name} is abandoned.`);
        },
      )
      .epilogue(
        'The Postgres bus keeps an event for at least 7 days, and until every group of its topic has read it. A group that was abandoned by mistake starts again at the oldest stored event; its inbox skips the events that it has already handled.',
      )
      .demandCommand(1, 'Name a command.')
      .strict(),
  );
