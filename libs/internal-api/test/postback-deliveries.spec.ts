import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import {
  CountPostbackReplay,
  isDeliveryId,
  ListPostbackDeliveries,
  PostbackAttemptView,
  PostbackDeliveryPage,
  PostbackDeliveryView,
  postbackDeliveriesPath,
  postbackRangeReplayPath,
  PostbackReplayCount,
  postbackReplayPath,
  postbackSigningSecretPath,
  postbackTestPath,
  PostbackTestResult,
  ReplayedPostbackDeliveries,
  ReplayedPostbackDelivery,
  ReplayPostbackDeliveries,
  RotatedSigningSecret,
} from '../src';

type Shape = Record<string, unknown>;

const ID = '01910000-0000-7000-8000-00000000000a';
const TIME = '2026-01-05T09:30:00.000Z';

const attempt: Shape = { number: 11, at: TIME, status: 500, latencyMs: 12, error: 'status', response: 'no' };
const silent: Shape = { ...attempt, status: null, error: 'timeout (waiting)', response: null };
const delivery: Shape = {
  id: ID,
  oid: 'sub_1',
  kind: 'sale',
  refId: 'order-1',
  status: 'pending',
  createdAt: TIME,
  deliveredAt: null,
  nextAttemptAt: TIME,
  error: null,
  attempts: [attempt, silent],
};
const result: Shape = { delivered: true, status: 200, latencyMs: 5, error: null, response: 'ok' };
const range: Shape = { from: TIME, to: '2026-01-05T10:30+01:00' };

const accepts = (type: new () => object, data: unknown): boolean =>
  validateSync(plainToInstance(type, data), { whitelist: true, forbidNonWhitelisted: true }).length === 0;

describe('the internal contract of deliveries', () => {
  it.each<[string, new () => object, Shape]>([
    ['an attempt', PostbackAttemptView, silent],
    ['a delivery', PostbackDeliveryView, delivery],
    ['a page', PostbackDeliveryPage, { items: [delivery], nextCursor: null, hasMore: false }],
    ['a range', ReplayPostbackDeliveries, range],
    ['a range to count', CountPostbackReplay, range],
    ['the number of deliveries to replay', PostbackReplayCount, { count: 0 }],
    ['a replay', ReplayedPostbackDelivery, { id: ID }],
    ['replays', ReplayedPostbackDeliveries, { count: 0 }],
    ['the outcome of a test send', PostbackTestResult, result],
    ['a new signing secret', RotatedSigningSecret, { signingSecret: 'whsec_c2VjcmV0' }],
  ])('%s must have each of its required fields, and no unknown field', (_name, type, data) => {
    expect(accepts(type, data)).toBe(true);
    expect(accepts(type, { ...data, addedLater: 1 })).toBe(false);
    for (const field of Object.keys(data)) {
      const rest = Object.fromEntries(Object.entries(data).filter(([name]) => name !== field));
      expect([field, accepts(type, rest)]).toEqual([field, false]);
    }
  });

  it('accepts a query for a page without any field, and refuses invalid values', () => {
    expect(accepts(ListPostbackDeliveries, {})).toBe(true);
    expect(accepts(ListPostbackDeliveries, { cursor: 'c', status: 'held', limit: '500' })).toBe(true);
    for (const wrong of [
      { status: 'sent' },
      { status: '' },
      { limit: '0' },
      { limit: '1.5' },
      { cursor: ['a', 'b'] },
    ]) {
      expect([wrong, accepts(ListPostbackDeliveries, wrong)]).toEqual([wrong, false]);
    }
  });

  it.each([
    '2026-01-05',
    '2026-01-05T09:30:00',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '09:30:00Z',
    '2026-W02-1T09:30:00Z',
    '+012026-01-05T09:30:00Z',
    'yesterday',
    '',
    null,
    7,
    ['2026-01-05T09:30:00Z'],
  ])('%p is not a valid time of a range', (time) => {
    expect(accepts(ReplayPostbackDeliveries, { ...range, from: time })).toBe(false);
    expect(accepts(ReplayPostbackDeliveries, { ...range, to: time })).toBe(false);
  });

  it.each(['2026-01-05T09:30:00,5Z', '2026-01-05T09:30Z', '2026-01-05t09:30:00.5+0100'])(
    '%p is a valid time of a range',
    (from) => {
      expect(accepts(ReplayPostbackDeliveries, { ...range, from })).toBe(true);
    },
  );

  it('accepts a range with a delivery status, `all` or null, and refuses any other status', () => {
    for (const status of ['pending', 'delivered', 'failed', 'held', 'all', null]) {
      expect(accepts(ReplayPostbackDeliveries, { ...range, status })).toBe(true);
      expect([status, accepts(CountPostbackReplay, { ...range, status })]).toEqual([status, status !== null]);
    }
    for (const status of ['sent', '', 7, ['held']]) {
      expect([status, accepts(ReplayPostbackDeliveries, { ...range, status })]).toEqual([status, false]);
      expect([status, accepts(CountPostbackReplay, { ...range, status })]).toEqual([status, false]);
    }
    expect(accepts(ListPostbackDeliveries, { status: 'all' })).toBe(false);
  });

  it('escapes the ids in its paths', () => {
    const base = '/internal/postback-configurations/a%2Fb/live';
    expect(postbackDeliveriesPath('a/b', 'live')).toBe(`${base}/deliveries`);
    expect(postbackReplayPath('a/b', 'live', '../x')).toBe(`${base}/deliveries/..%2Fx/replay`);
    expect(postbackRangeReplayPath('a/b', 'live')).toBe(`${base}/deliveries/replay`);
    expect(postbackTestPath('a/b', 'live')).toBe(`${base}/test`);
    expect(postbackSigningSecretPath('a/b', 'live')).toBe(`${base}/signing-secret`);
  });

  it('recognizes the id of a delivery by its form', () => {
    expect(isDeliveryId(ID)).toBe(true);
    for (const text of ['', 'replay', ID.toUpperCase(), `${ID}0`, `${ID}\n`]) expect(isDeliveryId(text)).toBe(false);
  });
});
