import { eventually } from '@tandem/testing';
import { DeliveryLog } from './delivery-log';
import { Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

describe('a result that the database rejects', () => {
  let dispatcher: Dispatcher;
  let endpoint: EndpointServer;
  let log: DeliveryLog;

  beforeAll(async () => {
    dispatcher = await Dispatcher.start({ POSTBACK_RETRY_SCHEDULE_SECONDS: '0,600', POSTBACK_SWEEP_MS: '100' });
    endpoint = await EndpointServer.start();
    log = new DeliveryLog(dispatcher);
    await dispatcher.database.query(`
      create function postback.refuse() returns trigger language plpgsql as $$ begin
        if exists (select from postback.delivery where id = new.delivery_id and body like '%unstorable%') then
          raise exception 'this attempt is refused';
        end if;
        return new;
      end $$;
      create trigger refuse before insert on postback.attempt for each row execute function postback.refuse()`);
  });
  afterAll(async () => {
    await dispatcher?.stop();
    await endpoint?.stop();
  });

  it('does not make the process send the delivery again at once, and does not stop the endpoint’s other deliveries', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const refused = saleOf(partnerId, { sharedId: 'unstorable' });
    await dispatcher.publish(refused);
    await eventually(() => expect(endpoint.about(refused.oid)).toHaveLength(1));
    await log.sales(partnerId, 3, 'delivered');
    // Meanwhile, each sweep finds that the delivery with the rejected result is pending and due. Then the endpoint answers 410, and its
    // remaining deliveries are held.
    endpoint.next(answer(500), answer(410));
    const waiting = saleOf(partnerId);
    await dispatcher.publish(waiting);
    await eventually(async () => expect((await dispatcher.deliveryOf(waiting.oid))?.attempt_count).toBe(1));
    await log.sales(partnerId, 1, 'failed');
    await log.settled(waiting.oid, 'held');
    expect(endpoint.about(refused.oid)).toHaveLength(1);
  });
});
