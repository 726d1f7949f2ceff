import { compare, figuresOf } from '../load/rates';
import type { Cleanup } from '../processes/child';
import type { Figure } from '../report';
import { createDatabase, startBareServer, startPartnerGateway, startVoucherService } from './apps';
import { createAccount, createGroup, fillCoupons } from './rows';

const APP = 'partner-gateway';
const LIMIT = 100;
const CODES = 10_000;
const FROM_THE_NEWEST = '9223372036854775807';

const SUBSCRIPTION = '/api/v2/partner/subscription';

/**
 * (3) Compares a page of 100 coupons, requested through partner-gateway and voucher-service, with a bare handler that
 * runs the page's query.
 */
export async function measurePageRate(serverUrl: string, rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  const database = await createDatabase(serverUrl, cleanup);
  const { partnerId, token } = await createAccount(database.client, 'voucher');
  const group = await createGroup(database.client, partnerId);
  await fillCoupons(database.client, group, CODES);
  const gateway = await startPartnerGateway(database, await startVoucherService(database, cleanup), cleanup);
  const bare = await startBareServer(database, 'voucher', cleanup);
  const callers = [{ authorization: `Bearer ${token}` }];
  // As many rows as the service reads: one more than it returns, to find out whether there is another page.
  const asked = new URLSearchParams({
    group,
    partner: partnerId,
    before: FROM_THE_NEWEST,
    limit: String(LIMIT + 1),
  }).toString();
  const rates = await compare(
    cleanup,
    { app: APP, rounds },
    {
      app: {
        url: `${gateway.url}${SUBSCRIPTION}/vouchers?voucherGroupId=${group}&limit=${LIMIT}`,
        callers,
        pid: gateway.pid,
      },
      bare: { url: `${bare.url}/page?${asked}`, callers, pid: bare.pid },
    },
  );
  return figuresOf('(3) a page of 100', APP, rates, 0.4);
}

/** (4) Compares create-checkout-url with a bare handler that runs the query by which the token is authenticated. */
export async function measureCheckoutRate(serverUrl: string, rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  const database = await createDatabase(serverUrl, cleanup);
  const { token } = await createAccount(database.client, 'promotion');
  await database.client.query('analyze partner.partner, partner.partner_token, partner.promotion');
  const gateway = await startPartnerGateway(database, null, cleanup);
  const bare = await startBareServer(database, 'partner', cleanup);
  const callers = [{ authorization: `Bearer ${token}` }];
  const rates = await compare(
    cleanup,
    { app: APP, rounds },
    {
      app: {
        url: `${gateway.url}${SUBSCRIPTION}/create-checkout-url?ref_id=order-1&plan=advanced&currency=USD`,
        callers,
        pid: gateway.pid,
      },
      bare: { url: `${bare.url}/authenticate`, callers, pid: bare.pid },
    },
  );
  return figuresOf('(4) create-checkout-url', APP, rates, 0.5);
}
