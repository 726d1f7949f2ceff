import { CreateCoupons } from '@tandem/internal-api';
import { CREATED, fits, GROUP_ID, VoucherEndpoints, VOUCHERS } from './voucher-endpoints';

describe('POST /partner/subscription/vouchers', () => {
  let endpoints: VoucherEndpoints;
  beforeAll(async () => {
    endpoints = await VoucherEndpoints.start();
  });
  afterAll(() => endpoints.stop());

  const wish = () => endpoints.asked?.body as Record<string, unknown>;

  it.each<[string, unknown, string, object]>([
    [
      'fields in the body',
      { voucherGroupId: GROUP_ID, count: 20 },
      '',
      { voucherGroupId: GROUP_ID, requestedCount: 20 },
    ],
    [
      'fields in the query',
      undefined,
      `?voucherGroupId=${GROUP_ID}&count=20`,
      { voucherGroupId: GROUP_ID, requestedCount: 20 },
    ],
    [
      'fields in the body and in the query',
      { voucherGroupId: GROUP_ID },
      '?count=501',
      { voucherGroupId: GROUP_ID, requestedCount: 501 },
    ],
    ['a request without a count', { voucherGroupId: GROUP_ID }, '', { voucherGroupId: GROUP_ID, requestedCount: null }],
    ['a count of null', { voucherGroupId: GROUP_ID, count: null }, '', { requestedCount: null }],
    ['a count of 1e9', { voucherGroupId: GROUP_ID, count: 1e9 }, '', { requestedCount: 1e9 }],
  ])(
    'accepts %s [interface.vouchers-create, vouchers.create, vouchers.create-query, vouchers.count-default, vouchers.count-above-500]',
    async (_name, body, query, expected) => {
      endpoints.gateway.vouchers.answer(201, CREATED);
      expect((await endpoints.create(body, { query })).status).toBe(201);
      expect(wish()).toMatchObject(expected);
      expect(fits(CreateCoupons, wish())).toBe(true);
    },
  );

  it.each([
    '{"count":0}',
    '{"count":-1}',
    '{"count":1.5}',
    '{"count":"20"}',
    '{"count":"abc"}',
    '{"count":true}',
    '{"count":[]}',
    '{"count":{}}',
    '{"count":1e999}',
    '{"count":21}',
  ])(
    'answers 422 to the body %s with the query ?count=20, without calling voucher-service [vouchers.create-query, vouchers.count-invalid]',
    async (body) => {
      const before = endpoints.countAsked;
      const query = `?voucherGroupId=${GROUP_ID}&count=20`;
      expect(await endpoints.create(body, { query })).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ field: 'count' }] },
      });
      expect(endpoints.countAsked).toBe(before);
    },
  );

  it.each(['{', '[]', '1', 'null'])('answers 400 to the body %s', async (body) => {
    expect(await endpoints.create(body)).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
  });

  it('answers 422 when no voucher group is given', async () => {
    expect(await endpoints.create({ count: 1 })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'voucherGroupId' }] },
    });
  });

  it('sends voucher-service the id of the token, which differs between two tokens of a partner [vouchers.one-at-a-time]', async () => {
    endpoints.gateway.vouchers.answer(201, CREATED);
    await endpoints.create({ voucherGroupId: GROUP_ID });
    const first = wish()['tokenId'];
    await endpoints.create({ voucherGroupId: GROUP_ID });
    expect(wish()['tokenId']).toBe(first);
    await endpoints.gateway.request('POST', VOUCHERS, {
      token: await endpoints.voucherToken(),
      body: { voucherGroupId: GROUP_ID },
    });
    expect(wish()['tokenId']).not.toBe(first);
  });

  it('relays the Idempotency-Key, and the header that marks a repeated answer [vouchers.idempotency-replay]', async () => {
    endpoints.gateway.vouchers.answer(201, CREATED);
    const first = await endpoints.create({ voucherGroupId: GROUP_ID }, { headers: { 'idempotency-key': 'k 1' } });
    expect(wish()).toMatchObject({ idempotencyKey: 'k 1' });
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    endpoints.gateway.vouchers.answer(201, CREATED, { 'Idempotency-Replayed': 'true' });
    const again = await endpoints.create({ voucherGroupId: GROUP_ID }, { headers: { 'idempotency-key': 'k 1' } });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it.each(['', ' ', 'k'.repeat(256)])(
    'answers 422 to the Idempotency-Key %p [vouchers.idempotency-life, vouchers.idempotency-empty]',
    async (key) => {
      const before = endpoints.countAsked;
      expect(
        await endpoints.create({ voucherGroupId: GROUP_ID }, { headers: { 'idempotency-key': key } }),
      ).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ field: 'Idempotency-Key' }] },
      });
      expect(endpoints.countAsked).toBe(before);
    },
  );

  it.each<[number, string, string | null]>([
    [404, 'voucher_group_not_found', null],
    [409, 'creation_in_progress', '1'],
    [409, 'idempotency_in_progress', '1'],
    [409, 'insufficient_stock', null],
    [422, 'idempotency_key_reused', null],
  ])(
    'relays the error %i %s of voucher-service [errors.voucher-group-not-found, errors.creation-in-progress, errors.insufficient-stock, errors.idempotency-in-progress, errors.idempotency-key-reused]',
    async (status, code, retryAfter) => {
      endpoints.gateway.vouchers.answer(status, { code, detail: 'a detail' });
      const answer = await endpoints.create({ voucherGroupId: GROUP_ID });
      expect(answer).toMatchObject({ status, body: { code, status } });
      expect(answer.headers.get('retry-after')).toBe(retryAfter);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
    },
  );

  it('answers 405 with Allow to another method', async () => {
    const answer = await endpoints.gateway.request('DELETE', VOUCHERS, { token: endpoints.token });
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.get('allow')).toContain('POST');
  });
});
