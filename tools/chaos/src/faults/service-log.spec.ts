import { ServiceLog } from './service-log';

describe('ServiceLog', () => {
  afterEach(() => jest.useRealTimers());

  const fail = (message: string, code?: string) => () => Promise.reject(Object.assign(new Error(message), { code }));
  const succeed = () => Promise.resolve();

  it.each([
    ['POST /revoke: 503 {"code":"temporarily_unavailable"}'],
    ['POST /revoke: 429 {}'],
    ['POST /voucher: 409 {"type":"urn:tandem:error:idempotency_in_progress"}'],
    ['fetch failed'],
  ])('counts %s as an outage', async (message) => {
    const log = new ServiceLog();
    await log.observe('revoke', fail(message));
    expect([log.requests, log.failures, log.unexplained]).toEqual([1, 1, []]);
  });

  it('counts an error with the code of a broken connection as an outage', async () => {
    const log = new ServiceLog();
    await log.observe('revoke', fail('read', 'ECONNRESET'));
    expect(log.unexplained).toEqual([]);
  });

  it.each([
    'POST /revoke: 500 {}',
    'POST /revoke: 409 {"type":"urn:tandem:error:sale_closed"}',
    'POST /revoke: 404 {}',
  ])('reports %s as unexplained, with the operation', async (message) => {
    const log = new ServiceLog();
    await log.observe('revoke', fail(message));
    expect(log.unexplained).toEqual([expect.stringContaining(`revoke: ${message}`)]);
  });

  it('reports a gap of 2 s from the first failed attempt to the next success, even if another operation succeeds', async () => {
    jest.useFakeTimers({ now: 0 });
    const log = new ServiceLog();
    await log.observe('buy', succeed);
    jest.setSystemTime(1_000);
    await log.observe('buy', fail('fetch failed'));
    jest.setSystemTime(2_000);
    await log.observe('buy', fail('fetch failed'));
    await log.observe('read', succeed);
    jest.setSystemTime(3_000);
    await log.observe('buy', succeed);
    jest.setSystemTime(3_900);
    await log.observe('buy', succeed);
    expect(log.gaps).toEqual([{ operation: 'buy', from: 1_000, to: 3_000 }]);
  });

  it('reports an attempt that takes more than 2 s to succeed, but not the time before the attempt', async () => {
    jest.useFakeTimers({ now: 0 });
    const log = new ServiceLog();
    await log.observe('forge', succeed);
    jest.setSystemTime(5_000);
    await log.observe('forge', () => Promise.resolve(void jest.setSystemTime(7_500)));
    expect(log.gaps).toEqual([{ operation: 'forge', from: 5_000, to: 7_500 }]);
  });
});
