/** A shop that sells through Tandem: see README.md. */
import { expressHandler, MemoryStore, type Postback, Tandem, TandemError } from '@tandem/partner';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing`);
  return value;
};

const baseUrl = setting('TANDEM_URL');
const tandem = new Tandem({ token: setting('TANDEM_TOKEN'), baseUrl });
const voucherTandem = new Tandem({ token: setting('TANDEM_VOUCHER_TOKEN'), baseUrl });

/** Sales by `oid`, because several may have the same `sharedId`, or none. A real shop stores them in its database. */
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

async function answer(request: IncomingMessage): Promise<unknown> {
  const url = new URL(request.url ?? '/', 'http://shop');
  const order = url.searchParams.get('order') ?? '';
  switch (`${request.method} ${url.pathname}`) {
    case 'POST /buy': // the customer leaves for the checkout
      return tandem.checkout.createUrl({ refId: order });
    case 'GET /order':
      return saleOf(order) ?? null;
    case 'POST /return': {
      const sale = saleOf(order);
      if (!sale) return null;
      const { revokedAt } = await tandem.sales.revoke(sale.oid, { reason: 'returned' });
      sales.set(sale.oid, { ...sale, returned: revokedAt });
      return saleOf(order);
    }
    case 'POST /gift': {
      // the order's number as key: the same order never gets further codes
      const [group] = await voucherTandem.vouchers.groups();
      if (!group) return null;
      const { items } = await voucherTandem.vouchers.create(group.id, { count: 2, idempotencyKey: order });
      return items.map(({ code }) => code);
    }
    default:
      return null;
  }
}

const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
  if (request.url === '/tandem') return takePostback(request, response);
  try {
    const body = await answer(request);
    response.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  } catch (error) {
    const { status = 502, code = 'failed', requestId } = error instanceof TandemError ? error : {};
    console.error(`${code}, request ${requestId}`);
    response.writeHead(status).end(JSON.stringify({ code }));
  }
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
