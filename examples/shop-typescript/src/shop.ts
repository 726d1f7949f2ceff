/** A shop that sells through Tandem: see README.md. */
import { expressHandler, MemoryStore, type Postback, Tandem, TandemError } from '@tandem/partner';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing`);
  return value;
};

const baseUrl = setting('TANDEM_BASE_URL');
const tandem = new Tandem({ token: setting('TANDEM_TOKEN'), baseUrl });
const voucherToken = process.env['TANDEM_VOUCHER_TOKEN'];
const voucherTandem = voucherToken ? new Tandem({ token: voucherToken, baseUrl }) : undefined;

/** Sales by `oid`: a `sharedId` may be empty, and several sales may have the same one. A real shop stores its sales in its database. */
const sales = new Map<string, Postback & { returned?: string; closed?: string }>();
const saleOf = (order: string) => [...sales.values()].find(({ sharedId }) => order !== '' && sharedId === order);

const takePostback = expressHandler({
  secrets: setting('POSTBACK_SIGNING_SECRETS').split(' '), // two during a rotation
  authorization: setting('POSTBACK_AUTHORIZATION'),
  store: new MemoryStore(), // a real shop stores the ids under a unique key
  onSale: (sale, { isSample }) => {
    if (!isSample && !sales.has(sale.oid)) sales.set(sale.oid, sale);
  },
  onSaleClosed: ({ oid, status }) => {
    const sale = sales.get(oid);
    if (sale) sales.set(oid, { ...sale, closed: status }); // refunded or charged back: the customer keeps nothing
  },
  onError: (error) => console.error(String(error)),
});

const routes: Record<string, (order: string) => unknown> = {
  'POST /buy': (order) => tandem.checkout.createUrl({ refId: order }), // the customer leaves for the checkout
  'GET /order': saleOf,
  'POST /return': async (order) => {
    const sale = saleOf(order);
    if (!sale) return undefined;
    const { revokedAt } = await tandem.sales.revoke(sale.oid, { reason: 'returned' });
    // During the request, a notice may have arrived and changed the stored sale.
    sales.set(sale.oid, { ...sale, ...sales.get(sale.oid), returned: revokedAt });
    return saleOf(order);
  },
  'POST /gift': async (order) => {
    if (!voucherTandem) return undefined;
    const [group] = await voucherTandem.vouchers.groups();
    // The order's number is the idempotency key, so for 24 hours a repeated request gets the same codes.
    const { items } = await voucherTandem.vouchers.create(group?.id ?? '', { count: 2, idempotencyKey: order });
    return items.map(({ code }) => code);
  },
};

const server = createServer(async (request, response) => {
  if (request.url === '/tandem') return takePostback(request, response);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop');
  try {
    const body = await routes[`${request.method} ${pathname}`]?.(searchParams.get('order') ?? '');
    response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? null));
  } catch (error) {
    const { status = 502, code = 'failed', requestId } = error instanceof TandemError ? error : {};
    console.error(`${code}, request ${requestId}`);
    response.writeHead(status).end(JSON.stringify({ code }));
  }
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
