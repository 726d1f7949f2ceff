import { answerOf, managerApi } from '../public-api';
import { asTable, print } from '../print';
import { type ApiCommands, ENVIRONMENT } from './options';

const PERIOD = {
  from: { type: 'string', describe: 'The first day, for example 2026-03-01 (default: 29 days before the last)' },
  to: { type: 'string', describe: 'The last day (default: today)' },
  by: { choices: ['day', 'week', 'month'] as const, describe: 'Default: day' },
  'time-zone': { type: 'string', describe: 'The time zone of the days, for example Europe/Berlin (default: UTC)' },
} as const;

/** The commands for sales figures, and for counting them again. */
export function statisticsCommands(parser: ApiCommands): void {
  parser
    .command(
      'statistics [partner]',
      'Count sales by day, week or month, for one partner or for all',
      (command) =>
        command
          .positional('partner', { type: 'string', describe: "The partner's id" })
          .options({ ...PERIOD, ...ENVIRONMENT }),
      async ({ partner: partnerId, from, to, by, 'time-zone': timeZone, environment, ...options }) => {
        const query = { partnerId, from, to, by, timeZone, environment };
        const call = managerApi(options).GET('/admin/statistics', { params: { query } });
        print(options, await answerOf(call), ({ items, totals, ...of }) => {
          const rows = [...items, ...totals.map((total) => ({ ...total, start: 'all' }))];
          const none = `no sales from ${of.from} to ${of.to}`;
          return asTable({ items: rows.map(({ start, ...figures }) => ({ start, ...figures })) }, { none });
        });
      },
    )
    .command(
      'recount [partner]',
      "Count a partner's sales again, or those of all, and correct the statistics",
      (command) => command.positional('partner', { type: 'string', describe: "The partner's id" }),
      async ({ partner, ...options }) => {
        const api = managerApi(options);
        let corrected = 0;
        for await (const id of partner === undefined ? partnerIds(api) : [partner]) {
          const path = { params: { path: { id } } };
          const { corrected: rows } = await answerOf(api.POST('/admin/partners/{id}/statistics/recount', path));
          corrected += rows;
          if (!options.json) console.log(`${id}  ${rows === 0 ? 'right' : `${rows} rows corrected`}`);
        }
        corrected += (await answerOf(api.POST('/admin/statistics/recount'))).corrected;
        print(options, { corrected });
      },
    );
}

/** Yields the ids of all partners, page by page. */
async function* partnerIds(api: ReturnType<typeof managerApi>): AsyncGenerator<string> {
  for (let cursor: string | undefined; ;) {
    const { items, nextCursor } = await answerOf(
      api.GET('/admin/partners', { params: { query: { cursor, limit: 200 } } }),
    );
    for (const { id } of items) yield id;
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}
