import { uniqueId } from '@tandem/testing';
import { Gateway } from './gateway';

const PATH = '/api/v2/partner-applications';

describe('applications to become a partner', () => {
  let gateway: Gateway;
  let address = 0;

  beforeAll(async () => {
    gateway = await Gateway.start({
      PARTNER_APPLICATIONS_ENABLED: 'true',
      PARTNER_TRUSTED_PROXIES: '127.0.0.1',
      PARTNER_APPLICATIONS_PER_ADDRESS_PER_HOUR: '3',
      PARTNER_APPLICATIONS_PER_DAY: '150',
    });
  });
  afterAll(() => gateway.stop());

  const emailOf = (): string => `${uniqueId('owner')}@example.com`;
  const bodyOf = (change: object = {}) => ({
    companyName: 'My shop',
    contactName: 'Olivia Owner',
    email: emailOf(),
    kind: 'promotion',
    website: 'https://shop.example.com/about',
    message: 'We sell to 2,000 readers.',
    ...change,
  });
  /** Sends an application. @param from the caller's IP address; by default an address that no other request uses */
  const apply = (body: unknown, from = `192.0.2.${++address}`) =>
    gateway.request('POST', PATH, { body, headers: { 'x-forwarded-for': from } });
  const applied = async (change: object = {}): Promise<string> => {
    const { status, body } = await apply(bodyOf(change));
    expect({ status, body }).toMatchObject({ status: 202 });
    return body.id as string;
  };
  const rowOf = async (id: string): Promise<Record<string, unknown>> => {
    const [row] = await gateway.database.query('select * from partner.partner_application where id = $1', [id]);
    return row as Record<string, unknown>;
  };
  const found = async (id: string, query = '?limit=200'): Promise<unknown> => {
    const { body } = await gateway.manage('GET', `/admin/applications${query}`);
    return (body.items as { id: string }[]).find((item) => item.id === id);
  };
  const decide = (id: string, decision: 'approve' | 'reject', body?: object) =>
    gateway.manage('POST', `/admin/applications/${id}/${decision}`, body);
  const auditOf = async (id: string): Promise<Record<string, unknown>[]> =>
    (await gateway.manage('GET', `/admin/audit?entityId=${id}`)).body.items as Record<string, unknown>[];

  it('are answered with 202 and only an id, and are shown to managers [admin.applications-sent, admin.applications]', async () => {
    const sent = bodyOf();
    const { status, body } = await apply(sent);
    expect({ status, body }).toEqual({ status: 202, body: { id: expect.stringMatching(/^pap_[0-9a-f]{32}$/) } });
    expect(await found(body.id as string, '?status=pending&limit=200')).toEqual({
      ...sent,
      id: body.id,
      status: 'pending',
      partnerId: null,
      note: null,
      decidedAt: null,
      createdAt: expect.any(String),
    });
  });

  it('are accepted with only the required fields [admin.applications-sent]', async () => {
    const { status, body } = await apply({ companyName: 'My shop', email: emailOf(), kind: 'voucher' });
    expect(status).toBe(202);
    expect(await found(body.id as string)).toMatchObject({ contactName: null, website: null, message: null });
  });

  it('are stored with the applicant’s personal data encrypted', async () => {
    const body = bodyOf();
    const row = JSON.stringify(await rowOf((await apply(body)).body.id as string));
    for (const secret of [body.email, body.contactName, body.message]) expect(row).not.toContain(secret);
  });

  it('get the same answer as other applications, but are not stored, while their e-mail address has a pending application [admin.applications-sent]', async () => {
    const email = emailOf();
    const id = await applied({ email });
    expect(await applied({ email: email.toUpperCase(), companyName: 'Another shop', kind: 'voucher' })).toBe(id);
    expect(await found(id)).toMatchObject({ companyName: 'My shop', kind: 'promotion', email });
    await decide(id, 'reject');
    expect(await applied({ email })).not.toBe(id);
  });

  it('are stored only once when several arrive concurrently with one e-mail address [admin.applications-sent]', async () => {
    const email = emailOf();
    const ids = await Promise.all(Array.from({ length: 5 }, () => applied({ email })));
    expect(new Set(ids).size).toBe(1);
  });

  it.each<[string, string, object]>([
    ['companyName', 'blank', { companyName: ' ' }],
    ['companyName', 'too long', { companyName: 'x'.repeat(201) }],
    ['contactName', 'two lines long', { contactName: 'two\nlines' }],
    ['email', 'not an e-mail address', { email: 'owner' }],
    ['email', 'null', { email: null }],
    ['website', 'a URL that is neither http nor https', { website: 'javascript:alert(1)' }],
    ['website', 'a URL with credentials', { website: 'https://user:secret@shop.example.com' }],
    ['website', 'too long', { website: `https://shop.example.com/${'x'.repeat(500)}` }],
    ['kind', 'unknown', { kind: 'other' }],
    ['message', 'too long', { message: 'x'.repeat(2001) }],
    ['message', 'a text with U+0000', { message: 'a\0b' }],
  ])('are refused when %s is %s [admin.applications-sent]', async (field, _name, change) => {
    const { status, headers, body } = await apply(bodyOf(change));
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ field }] },
    });
    expect(headers.get('content-type')).toContain('application/problem+json');
  });

  it('are limited per IPv4 address and per IPv6 network [admin.applications-limits]', async () => {
    for (const [first, second] of [
      ['198.51.100.1', '198.51.100.1'],
      ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2'],
    ] as const) {
      for (let time = 0; time < 3; time++) expect((await apply(bodyOf(), first)).status).toBe(202);
      expect(await apply(bodyOf(), second)).toMatchObject({
        status: 429,
        body: { code: 'rate_limited', detail: expect.stringContaining('The IP address has used up its limit') },
      });
    }
    expect((await apply(bodyOf())).status).toBe(202);
    const rows = await gateway.database.query(`select caller from partner.rate_limit_window`);
    expect(JSON.stringify(rows)).not.toMatch(/198\.51\.100|2001:db8/);
  });

  it('can be approved only once, which creates one partner [admin.applications-decided, admin.audit-row]', async () => {
    const sent = bodyOf();
    const id = (await apply(sent)).body.id as string;
    const answers = await Promise.all([decide(id, 'approve'), decide(id, 'approve')]);
    const [created, refused] = answers.sort((a, b) => a.status - b.status);
    expect(created).toMatchObject({
      status: 201,
      body: { name: 'My shop', kind: 'promotion', active: true, contactEmail: sent.email },
    });
    expect(refused).toMatchObject({ status: 409, body: { code: 'application_decided' } });
    expect(await decide(id, 'reject')).toMatchObject({ status: 409, body: { code: 'application_decided' } });
    const partnerId = created?.body.id as string;
    expect(await gateway.manage('GET', `/admin/partners/${partnerId}`)).toMatchObject({ status: 200 });
    expect(await found(id, '?status=approved&limit=200')).toMatchObject({ partnerId, decidedAt: expect.any(String) });
    const [row, ...more] = await auditOf(id);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      actor: 'manager-1',
      action: 'application.approved',
      entity: 'application',
      before: { status: 'pending', partnerId: null },
      after: { status: 'approved', partnerId },
    });
    expect(await auditOf(partnerId)).toMatchObject([{ action: 'partner.created' }]);
    expect(JSON.stringify([row, await auditOf(partnerId)])).not.toMatch(
      new RegExp(`${sent.email}|${sent.contactName}`),
    );
  });

  it('stay pending, without a partner, when their approval fails [admin.applications-decided]', async () => {
    const id = await applied({ companyName: uniqueId('Failing') });
    const { company_name: name } = await rowOf(id);
    await gateway.database.query(`alter table partner.partner add constraint failing check (name <> '${name}')`);
    expect((await decide(id, 'approve')).status).toBe(500);
    await gateway.database.query('alter table partner.partner drop constraint failing');
    expect(await rowOf(id)).toMatchObject({ status: 'pending', partner_id: null });
    expect(await auditOf(id)).toEqual([]);
    expect((await decide(id, 'approve')).status).toBe(201);
  });

  it('can be rejected only once, with a note [admin.applications-decided, admin.audit-row]', async () => {
    const id = await applied();
    const note = 'No website';
    expect(await decide(id, 'reject', { note })).toMatchObject({ status: 200, body: { id, status: 'rejected', note } });
    expect(await decide(id, 'reject')).toMatchObject({ status: 409, body: { code: 'application_decided' } });
    expect(await decide(id, 'approve')).toMatchObject({ status: 409, body: { code: 'application_decided' } });
    expect(await auditOf(id)).toMatchObject([{ action: 'application.rejected', after: { status: 'rejected', note } }]);
    expect(await decide(await applied(), 'reject', { note: 'x'.repeat(1001) })).toMatchObject({ status: 422 });
  });

  it('are listed in pages, newest first, and can be filtered by status [admin.applications]', async () => {
    const ids = [await applied(), await applied()];
    const first = (await gateway.manage('GET', '/admin/applications?status=pending&limit=1')).body;
    const query = `limit=1&cursor=${first.nextCursor}`;
    const second = (await gateway.manage('GET', `/admin/applications?status=pending&${query}`)).body;
    expect([...first.items, ...second.items].map(({ id }: { id: string }) => id)).toEqual(ids.reverse());
    expect(await gateway.manage('GET', `/admin/applications?${query}`)).toMatchObject({ status: 400 });
    expect(await gateway.manage('GET', '/admin/applications?status=open')).toMatchObject({ status: 422 });
  });

  it.each(['approve', 'reject'] as const)('get 404 for %s with an unknown id', async (decision) => {
    for (const id of ['pap_x', '%00']) {
      expect(await decide(id, decision)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  it('can be listed and decided only by managers [admin.access]', async () => {
    const id = await applied();
    for (const [method, path] of [
      ['GET', '/admin/applications'],
      ['POST', `/admin/applications/${id}/approve`],
      ['POST', `/admin/applications/${id}/reject`],
    ] as const) {
      expect(await gateway.request(method, path)).toMatchObject({ status: 401 });
      const token = await gateway.managerToken({ scope: 'support' });
      expect(await gateway.request(method, path, { token })).toMatchObject({ status: 403 });
    }
  });

  it('are limited per day, and invalid applications do not count [admin.applications-limits]', async () => {
    const limited = await Gateway.start({ PARTNER_APPLICATIONS_ENABLED: 'true', PARTNER_APPLICATIONS_PER_DAY: '2' });
    const send = (change = {}) => limited.request('POST', PATH, { body: bodyOf(change) });
    // Invalid applications must not be counted, because they must not lock out other applicants.
    for (let time = 0; time < 2; time++) expect((await send({ companyName: '' })).status).toBe(422);
    expect([(await send()).status, (await send()).status]).toEqual([202, 202]);
    const refused = await send();
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(refused.headers.get('ratelimit')).toContain('"application"');
    await limited.stop();
  });

  it('are answered with 404 while they are turned off, which is the default [admin.applications-off]', async () => {
    const closed = await Gateway.start();
    const body = bodyOf();
    expect(await closed.request('POST', PATH, { body })).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await closed.database.query('select from partner.partner_application')).toEqual([]);
    await closed.stop();
  });
});
