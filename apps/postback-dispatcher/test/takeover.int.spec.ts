import { eventually, type TestDatabase } from '@tandem/testing';
import { DispatchService } from '../src/dispatch/dispatch.service';
import { createPostbackDatabase, Dispatcher, saleOf } from './dispatcher';
import { EndpointServer } from './endpoint-server';

describe('what the next owner of an endpoint inherits', () => {
  let database: TestDatabase;
  let server: EndpointServer;

  beforeAll(async () => {
    database = await createPostbackDatabase();
    server = await EndpointServer.start();
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  /** As a killed owner leaves it: a lease that has ended, a due delivery, and the rest that the endpoint asked for. */
  const abandon = (partnerId: string, blockedFor: string) =>
    database.query(
      `update postback.endpoint_schedule s set lease_owner = gen_random_uuid(), lease_until = now() - interval '1 second',
         next_due_at = now() - interval '1 second', blocked_until = now() + $2::interval
       from postback.endpoint e where e.id = s.endpoint_id and e.partner_id = $1`,
      [partnerId, blockedFor],
    );

  it('leaves an endpoint alone for as long as it asked, though the process that was told so has died', async () => {
    const dispatcher = await Dispatcher.start({}, database);
    const { partnerId } = await dispatcher.createEndpoint(server.url);
    await dispatcher.stop();
    await abandon(partnerId, '1 hour');

    const next = await Dispatcher.start({}, database);
    try {
      const sale = saleOf(partnerId);
      await next.publish(sale);
      await eventually(async () => expect((await next.deliveryOf(sale.oid))?.status).toBe('pending'));
      // Another endpoint's delivery goes through meanwhile: claims were made, and this endpoint was not among them.
      const other = await next.createEndpoint(server.url);
      const marker = saleOf(other.partnerId);
      await next.publish(marker);
      await eventually(async () => expect((await next.deliveryOf(marker.oid))?.status).toBe('delivered'));
      expect(await next.attemptsOf(sale.oid)).toEqual([]);

      await abandon(partnerId, '-1 second');
      await eventually(async () => expect((await next.deliveryOf(sale.oid))?.status).toBe('delivered'));
    } finally {
      await next.stop();
    }
  });

  it('gives an endpoint away although a sale arrives while its last request is answered', async () => {
    const dispatcher = await Dispatcher.start({}, database);
    try {
      const { partnerId } = await dispatcher.createEndpoint(server.url);
      let release = (): void => undefined;
      const first = saleOf(partnerId);
      const started = new Promise<void>((resolve) =>
        server.next((_, response) => {
          release = () => void response.writeHead(200).end();
          resolve();
        }),
      );
      await dispatcher.publish(first);
      await started;
      dispatcher.running.nest.get(DispatchService).shed(1_000);
      const second = saleOf(partnerId);
      await dispatcher.publish(second);
      await eventually(async () => expect((await dispatcher.deliveryOf(second.oid))?.status).toBe('pending'));
      release();
      // Released and claimed again: both arrive, which a lease that never ends would not let happen.
      await eventually(async () => {
        expect((await dispatcher.deliveryOf(first.oid))?.status).toBe('delivered');
        expect((await dispatcher.deliveryOf(second.oid))?.status).toBe('delivered');
      });
    } finally {
      await dispatcher.stop();
    }
  });
});
