import type { components } from '../generated/manager-api';
import { printable } from '@tandem/partner/listen';
import { answerOf, managerApi, RefusedError } from '../public-api';
import { asTable, print } from '../print';
import { type ApiCommands, ENVIRONMENT } from './options';

/** The time limit of a recount. The edge answers 503 when an app has not answered for 60 s; the limit is longer, so that this answer arrives. */
const RECOUNT_TIMEOUT_MS = 65_000;

const PERIOD = {
  from: { type: 'string', describe: 'The first day, for example 2026-03-01 (default: 29 days before the last)' },
  to: { type: 'string', describe: 'The last day (default: today)' },
  by: { choices: ['day', 'week', 'month'] as const, describe: 'Default: day' },
  'time-zone': { type: 'string', describe: 'The time zone of the days, for example Europe/Berlin (default: UTC)' },
} as const;

/** The commands that show the figures of sales, postbacks and vouchers, rank partners, and count the figures again. */
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
          const sales = asTable({ items: rows.map(({ start, ...figures }) => ({ start, ...figures })) }, { none });
          return [sales, postbackLine(of.postbacks), voucherLine(of.vouchers)].join('\n');
        });
      },
    )
    .command(
      'ranking',
      'List the partners with the highest net amounts, in each currency',
      (command) =>
        command.options({
          ...PERIOD,
          ...ENVIRONMENT,
          limit: { type: 'number', describe: 'How many partners in each currency, at most 100 (default: 10)' },
        }),
      async ({ from, to, by, 'time-zone': timeZone, environment, limit, ...options }) => {
        const query = { from, to, by, timeZone, environment, limit };
        const call = managerApi(options).GET('/admin/statistics/partners', { params: { query } });
        print(options, await answerOf(call), (ranking) =>
          asTable(ranking, {
            none: `no sales from ${ranking.from} to ${ranking.to}`,
            rowOf: ({ rank, partnerId, partnerName, ...figures }) => ({
              rank,
              partner: partnerId,
              name: partnerName,
              currency: figures.currency,
              sales: figures.sales,
              amount: figures.amount,
              net: figures.netAmount,
            }),
          }),
        );
      },
    )
    .command(
      'recount [partner]',
      'Count the sales, postbacks and vouchers of a partner or of all again, and correct the statistics',
      (command) => command.positional('partner', { type: 'string', describe: "The partner's id" }),
      async ({ partner, ...options }) => {
        const api = managerApi(options, { timeoutMs: RECOUNT_TIMEOUT_MS });
        let corrected = 0;
        const recount = async (of: string, answer: Promise<Recount>): Promise<void> => {
          try {
            const counted = await answer;
            corrected += rowsOf(counted);
            if (uncounted(counted) !== '') process.exitCode = 1;
            if (!options.json) console.log(printable(`${of}  ${resultOf(rowsOf(counted))}${uncounted(counted)}`));
          } catch (error) {
            // One partner may fail, for example with 503 because its recount takes too long. The others are counted
            // nevertheless.
            if (error instanceof RefusedError && error.status < 500) throw error;
            process.exitCode = 1;
            console.error(printable(`${of}  not counted: ${(error as Error).message}`));
          }
        };
        for await (const id of partner === undefined ? partnerIds(api) : [partner])
          await recount(
            id,
            answerOf(api.POST('/admin/partners/{id}/statistics/recount', { params: { path: { id } } })),
          );
        await recount('all partners together', answerOf(api.POST('/admin/statistics/recount')));
        print(options, { corrected });
      },
    );
}

/** Returns a text with the number of rows of the statistics that a recount corrected. */
const resultOf = (rows: number): string =>
  rows === 0 ? 'right' : rows === 1 ? '1 row corrected' : `${rows} rows corrected`;

type Statistics = components['schemas']['Statistics'];
type Recount = components['schemas']['Recount'];

function postbackLine(postbacks: Statistics['postbacks']): string {
  if (postbacks === null) return 'postbacks  unknown now';
  const { delivered, failed, firstAttempt } = postbacks;
  const { averageMs, p95Ms } = firstAttempt;
  const latency = averageMs === null ? '' : `, first attempts ${averageMs} ms on average, 95 % within ${p95Ms} ms`;
  return `postbacks  ${delivered} delivered, ${failed} failed${latency}`;
}

const voucherLine = (vouchers: Statistics['vouchers']): string =>
  vouchers === null ? 'vouchers  unknown now' : `vouchers  ${vouchers.created} created, ${vouchers.redeemed} redeemed`;

const rowsOf = ({ corrected, postbacks, vouchers }: Recount): number =>
  corrected + (postbacks?.corrected ?? 0) + (vouchers?.corrected ?? 0);

/** Names the figures that could not be counted because their app is down or too slow. */
function uncounted({ postbacks, vouchers }: Recount): string {
  const names = [postbacks === null ? 'postbacks' : [], vouchers === null ? 'vouchers' : []].flat();
  return names.length === 0 ? '' : `, ${names.join(' and ')} not counted: try again`;
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
