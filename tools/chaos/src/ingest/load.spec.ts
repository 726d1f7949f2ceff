import { randomFrom } from '../random';
import { loadOf } from './load';

describe('loadOf', () => {
  const load = loadOf(1_000, randomFrom(1), 'app-key');

  it('has the given number of different webhooks, and sends 30% of them twice', () => {
    expect(load.webhooks).toBe(1_000);
    expect(load.deliveries).toHaveLength(1_300);
    expect(new Set(load.deliveries.map(({ id }) => id)).size).toBe(1_000);
  });

  it('has four webhooks for each subscription, in random order', () => {
    expect(load.subscriptions).toHaveLength(200);
    const [first] = load.subscriptions;
    const own = load.deliveries.filter(({ body }) => body.includes(first?.oid as string));
    expect(new Set(own.map(({ id }) => id)).size).toBe(4);
    const times = load.deliveries.flatMap(({ body }) => /"timestamp":"([^"]+)"/.exec(body)?.[1] ?? []);
    expect(times).not.toEqual([...times].sort());
  });

  it('has one alerted user for each webhook that is not about a subscription', () => {
    expect(load.alertedUsers).toHaveLength(200);
  });
});
