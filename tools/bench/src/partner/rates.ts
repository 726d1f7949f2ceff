import { Load, Target } from '../load/load';
import type { Cleanup } from '../processes/child';
import type { Figure } from '../report';
import { median } from '../statistics';
import { createDatabase, startBareServer, startPartnerGateway, startVoucherService } from './apps';
import { createAccount, createGroup, fillCoupons } from './rows';

const WARM_UP_SECONDS = 4;
const SECONDS = 4;
const LIMIT = 100;
const CODES = 10_000;
const FROM_THE_NEWEST = '9223372036854775807';

const SUBSCRIPTION = '/api/v2/partner/subscription';

/** (3) A page of 100 coupons through partner-gateway and voucher-service, beside a bare handler with the page's query. */
export async function measurePageRate(serverUrl: string, rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  const database = await createDatabase(serverUrl, cleanup);
  const { partnerId, token } = await createAccount(database.client, 'voucher');
  const group = await createGroup(database.client, partnerId);
  await fillCoupons(database.client, group, CODES);
  const gateway = await startPartnerGateway(database, await startVoucherService(database, cleanup), cleanup);
  const bare = await startBareServer(database, 'voucher', cleanup);
  const headers = { authorization: `Bearer ${token}` };
  // The service reads one row more than it shows: that tells it whether there is another page.
  const asked = new URLSearchParams({
    group,
    partner: partnerId,
    before: FROM_THE_NEWEST,
    limit: String(LIMIT + 1),
  }).toString();
  const rates = await compare(cleanup, rounds, {
    app: { url: `${gateway}${SUBSCRIPTION}/vouchers?voucherGroupId=${group}&limit=${LIMIT}`, headers },
    bare: { url: `${bare}/page?${asked}`, headers },
  });
  return figuresOf('(3) a page of 100', rates, 0.4);
}

/** (4) create-checkout-url, beside a bare handler with the query that authenticates. */
export async function measureCheckoutRate(serverUrl: string, rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  const database = await createDatabase(serverUrl, cleanup);
  const { token } = await createAccount(database.client, 'promotion');
  await database.client.query('analyze partner.partner, partner.partner_token, partner.promotion');
  const gateway = await startPartnerGateway(database, null, cleanup);
  const bare = await startBareServer(database, 'partner', cleanup);
  const headers = { authorization: `Bearer ${token}` };
  const rates = await compare(cleanup, rounds, {
    app: { url: `${gateway}${SUBSCRIPTION}/create-checkout-url?ref_id=order-1&plan=advanced&currency=USD`, headers },
    bare: { url: `${bare}/authenticate`, headers },
  });
  return figuresOf('(4) create-checkout-url', rates, 0.5);
}

/** Requests in a second, a value for each round. */
interface Rates {
  readonly app: number[];
  readonly bare: number[];
}

/** Both by turns, so that what else the machine does falls on both; who begins changes as well. */
async function compare(cleanup: Cleanup, rounds: number, targets: Record<keyof Rates, Target>): Promise<Rates> {
  const load = await Load.start(cleanup);
  const rates: Rates = { app: [], bare: [] };
  for (const side of ['bare', 'app'] as const) await load.measure(targets[side], WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? (['bare', 'app'] as const) : (['app', 'bare'] as const);
    for (const side of order) rates[side].push(await load.measure(targets[side], SECONDS));
    const [bare, app] = [rates.bare, rates.app].map((side) => Math.round(side.at(-1) ?? NaN));
    console.log(`  round ${round + 1}: bare handler ${bare}/s, partner-gateway ${app}/s`);
  }
  return rates;
}

function figuresOf(name: string, { app, bare }: Rates, target: number): Figure[] {
  const ratio = median(app.map((rate, round) => rate / (bare[round] ?? NaN)));
  return [
    { name: `${name}, bare handler`, value: `${Math.round(median(bare))}/s` },
    { name: `${name}, partner-gateway`, value: `${Math.round(median(app))}/s` },
    {
      name: `${name}, gateway / bare`,
      value: ratio.toFixed(2),
      target: `>= ${target.toFixed(2)}`,
      met: ratio >= target,
    },
  ];
}
