import { eventually } from '@tandem/testing';
import { createHash, randomBytes } from 'node:crypto';
import { EdgeUnderTest } from './edge-under-test';

describe('the edge', () => {
  const edge = new EdgeUnderTest();

  it('forwards the largest allowed bodies unchanged, whatever their content type', async () => {
    for (const type of ['application/json', 'application/octet-stream', 'text/plain; charset=latin1']) {
      const body = randomBytes(256 * 1024);
      await fetch(`${edge.url}/idp/payments/webhook`, { method: 'POST', body, headers: { 'content-type': type } });
      expect(edge.ingest.last().sha256).toBe(createHash('sha256').update(body).digest('hex'));
      expect(edge.ingest.last().headers['content-type']).toBe(type);
    }
  });

  it('leaves the refusal of an invalid content type to the app, which checks the credentials first', async () => {
    for (const type of ['json', 'application/json, application/json']) {
      const init = { method: 'POST', body: '{}', headers: { 'content-type': type } };
      expect((await fetch(`${edge.url}/idp/payments/webhook`, init)).status).toBe(200);
      expect(edge.ingest.last().headers['content-type']).toBe('application/octet-stream');
    }
  });

  it.each([
    ['/api/v2/partner/subscription/revoke', 64 * 1024, 'payload_too_large'],
    ['/idp/payments/webhook', 256 * 1024, undefined],
  ])('answers 413 to every body that is too large for %s, without calling an app', async (path, limit, code) => {
    const before = edge.gateway.seen.length + edge.ingest.seen.length;
    for (const size of [limit + 1, 1_000_000, 5_000_000, 1_000_000]) {
      const answer = await fetch(edge.url + path, { method: 'POST', body: randomBytes(size) });
      expect(answer.status).toBe(413);
      expect(((await answer.json()) as { code?: string }).code).toBe(code);
    }
    expect(edge.gateway.seen.length + edge.ingest.seen.length).toBe(before);
  });

  it.each([
    ['/api/v2/partner/subscription/revoke', 64 * 1024, 'payload_too_large'],
    ['/idp/payments/webhook', 256 * 1024, undefined],
  ])(
    'answers 413 to every chunked body that is too large for %s, and forwards the largest allowed one',
    async (path, limit, code) => {
      for (const size of [limit + 1, 1_000_000, limit + 1]) {
        const body = new Blob([randomBytes(size)]).stream();
        const answer = await fetch(edge.url + path, { method: 'POST', body, duplex: 'half' } as RequestInit);
        expect(answer.status).toBe(413);
        expect(((await answer.json()) as { code?: string }).code).toBe(code);
      }
      const body = randomBytes(limit);
      const stream = new Blob([body]).stream();
      const answer = await fetch(edge.url + path, { method: 'POST', body: stream, duplex: 'half' } as RequestInit);
      expect(answer.status).toBe(200);
      expect((code ? edge.gateway : edge.ingest).last().sha256).toBe(createHash('sha256').update(body).digest('hex'));
    },
  );

  it('forwards and echoes a request id, and replaces an invalid id [errors.request-id]', async () => {
    const ask = (id: string) => fetch(`${edge.url}/admin/partners`, { headers: { 'x-request-id': id } });
    expect((await ask('abc-1.2_3')).headers.get('x-request-id')).toBe('abc-1.2_3');
    expect(edge.gateway.last().headers['x-request-id']).toBe('abc-1.2_3');
    const made = (await ask('not a good one')).headers.get('x-request-id');
    expect(made).toMatch(/^[0-9a-f-]{36}$/);
    expect(edge.gateway.last().headers['x-request-id']).toBe(made);
    expect((await fetch(`${edge.url}/none`, { headers: { 'x-request-id': 'mine' } })).headers.get('x-request-id')).toBe(
      'mine',
    );
  });

  it('forwards the client’s real address, not a forged address', async () => {
    const claims = {
      'x-forwarded-for': '8.8.8.8',
      'x-forwarded-proto': 'https',
      'x-real-ip': '8.8.8.8',
      forwarded: 'for=8.8.8.8',
    };
    await fetch(`${edge.url}/admin/partners`, { headers: claims });
    const { headers } = edge.gateway.last();
    expect([headers['x-forwarded-for'], headers['x-forwarded-proto']]).toEqual(['127.0.0.1', 'http']);
    expect(JSON.stringify(headers)).not.toContain('8.8.8.8');
  });

  it('keeps connections to an app open', async () => {
    for (let i = 0; i < 3; i++) await (await fetch(`${edge.url}/admin/partners?n=${i}`)).text();
    const ports = edge.gateway.seen.slice(-3).map(({ remotePort }) => remotePort);
    expect(new Set(ports).size).toBe(1);
  });

  it('closes an idle connection to an app, although the app would keep the connection for 72 s', async () => {
    edge.gateway.answer.handle = (_request, response) =>
      response.writeHead(200, { connection: 'keep-alive', 'keep-alive': 'timeout=72' }).end('{}');
    await (await fetch(`${edge.url}/admin/partners`)).text();
    expect(await edge.gateway.connections()).toBeGreaterThan(0);
    await eventually(async () => expect(await edge.gateway.connections()).toBe(0));
  });

  it('calls an app only once when it answers 503', async () => {
    edge.gateway.answer.handle = (_request, response) => response.writeHead(503, { 'retry-after': '5' }).end('{}');
    const before = edge.gateway.seen.length;
    expect((await fetch(`${edge.url}/admin/partners`)).status).toBe(503);
    expect(edge.gateway.seen.length - before).toBe(1);
  });

  it('forwards status, headers and redirects of an app', async () => {
    edge.gateway.answer.handle = (_request, response) =>
      response.writeHead(302, { location: '/admin/elsewhere', 'x-own': '1' }).end();
    const response = await fetch(`${edge.url}/admin/partners`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location'), response.headers.get('x-own')]).toEqual([
      302,
      '/admin/elsewhere',
      '1',
    ]);
  });

  it('answers 503 when an app disconnects before it answers', async () => {
    edge.gateway.answer.handle = (request) => request.socket.destroy();
    const response = await fetch(`${edge.url}/admin/partners`, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  });

  it('answers 503 in the error form of the API while an app is down, and recovers when the app is back', async () => {
    await Promise.all([edge.gateway.close(), edge.ingest.close()]);
    const partner = await fetch(`${edge.url}/api/v2/partner/postback`);
    expect([partner.status, partner.headers.get('retry-after')]).toEqual([503, '5']);
    expect(partner.headers.get('content-type')).toContain('application/problem+json');
    expect(await partner.json()).toMatchObject({ status: 503, code: 'service_unavailable' });

    const webhook = await fetch(`${edge.url}/idp/payments/webhook`, { method: 'POST', body: '{}' });
    expect([webhook.status, webhook.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await webhook.json()).toEqual({ error: expect.any(String) });

    await Promise.all([edge.gateway.reopen(), edge.ingest.reopen()]);
    expect((await fetch(`${edge.url}/api/v2/partner/postback`)).status).toBe(200);
  });
});
