import { type Found, isFloodClean, judgeFlood } from './verdict';

const load = {
  deliveries: [],
  webhooks: 5,
  subscriptions: [{ oid: 'a', krn: 'k', events: 4, state: 'live' as const, entitlements: ['x', 'y'] }],
  alertedUsers: ['u'],
};
const subscription = { oid: 'a', state: 'live', entitlements: ['y', 'x'], events: 4 };
const found = (changes: Partial<Found> & { of?: object } = {}): Found => {
  const { of = {}, ...rest } = changes;
  const subscriptions = new Map([['a', { ...subscription, ...of }]]);
  return { stored: 5, subscriptions, alerts: new Map([['u', 1]]), deadLetters: 0, ...rest };
};

describe('judgeFlood', () => {
  it('is clean when each effect exists once and each subscription has the right state', () => {
    expect(isFloodClean(judgeFlood(load, found()))).toBe(true);
  });

  it.each([
    ['a lost event', found({ of: { events: 3 } }), 'lost'],
    ['a subscription that is not stored', found({ subscriptions: new Map() }), 'lost'],
    ['a lost alert', found({ alerts: new Map() }), 'lost'],
    ['an event that was handled twice', found({ of: { events: 5 } }), 'actedOnTwice'],
    ['an alert that is stored twice', found({ alerts: new Map([['u', 2]]) }), 'actedOnTwice'],
    ['a subscription in another state', found({ of: { state: 'ended' } }), 'wrong'],
    ['a subscription with other entitlements', found({ of: { entitlements: ['x'] } }), 'wrong'],
  ] as const)('finds %s', (_name, what, list) => {
    const verdict = judgeFlood(load, what);
    expect(verdict[list]).toHaveLength(1);
    expect(isFloodClean(verdict)).toBe(false);
  });

  it.each([
    ['a webhook that is stored twice', found({ stored: 6 })],
    ['a dead letter', found({ deadLetters: 1 })],
  ])(
    // prettier-ignore
    'is not clean with %s',
    (_name, what) => expect(isFloodClean(judgeFlood(load, what))).toBe(false),
  );
});
