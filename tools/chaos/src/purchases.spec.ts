import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PurchaseStream } from './purchases';

const FAILURES = 3;

describe('a stream of purchases', () => {
  it('repeats a failed webhook, after waits that double, until the webhook is accepted', async () => {
    const arrivals: number[] = [];
    const server = createServer((request, response) => {
      request.resume();
      arrivals.push(performance.now());
      response.writeHead(arrivals.length > FAILURES ? 200 : 503, { connection: 'close' }).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const stream = new PurchaseStream({
      webhookUrl: `http://127.0.0.1:${port}`,
      secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      promotionCode: 'SHOP20',
    });
    stream.start(100);
    while (stream.purchases.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await stream.finish();
    server.close();

    expect(stream.accepted).toHaveLength(stream.purchases.length);
    const first = arrivals.slice(0, FAILURES + 1);
    const waits = first.slice(1).map((at, index) => at - (first[index] as number));
    // The waits are 250, 500 and 1,000 ms, each shortened or lengthened by up to 20 %. A timer may fire 1 ms early.
    for (const [index, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(0.8 * 250 * 2 ** index - 1);
  });
});
