import { type PostbacksOfSales, postbacksOfSalesPath, SalePostbacks } from '@tandem/internal-api';
import { uniqueId } from '@tandem/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { useDispatcher } from './delivery-log';
import { answer } from './endpoint-server';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('POST …/deliveries/of-sales', () => {
  const world = useDispatcher();

  const ask = (partnerId: string, body: PostbacksOfSales | object, environment = 'live') =>
    world.dispatcher.request('POST', postbacksOfSalesPath(partnerId, environment), body);

  it('returns the postback of each given sale that has a postback [partner-sales.postback]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    world.endpoint.next(answer(500, {}, 'broken'), answer(200, {}, ''));
    const [sale] = await world.log.sales(partnerId, 1, 'delivered');
    const oid = String(sale?.oid);
    const { id } = (await world.dispatcher.deliveryOf(oid)) ?? {};
    const { status, body } = await ask(partnerId, { oids: [oid, uniqueId('sub')] });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        items: [{ id, oid, status: 'delivered', attempts: 2, deliveredAt: ISO, nextAttemptAt: null, error: null }],
      },
    });
    const problems = validateSync(plainToInstance(SalePostbacks, body), {
      whitelist: true,
      forbidNonWhitelisted: true,
    });
    expect(problems).toEqual([]);
  });

  it('returns no postback of another partner or of the other environment [partner-sales.own]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const sales = await world.log.sales(partnerId, 2, 'delivered');
    const oids = sales.map(({ oid }) => oid);
    const none = { status: 200, body: { items: [] } };
    expect((await ask(partnerId, { oids })).body.items).toHaveLength(2);
    expect(await ask(uniqueId('partner'), { oids })).toMatchObject(none);
    expect(await ask(partnerId, { oids }, 'test')).toMatchObject(none);
  });

  it.each<[string, object]>([
    ['no list', {}],
    ['a string instead of a list', { oids: 'sub-1' }],
    ['an empty id', { oids: [''] }],
    ['an id of 256 characters', { oids: ['x'.repeat(256)] }],
    ['201 ids', { oids: Array.from({ length: 201 }, (_, index) => `sub-${index}`) }],
  ])('refuses %s', async (_title, body) => {
    expect(await ask(uniqueId('partner'), body)).toMatchObject({ status: 422, body: { errors: [{ field: 'oids' }] } });
  });
});
