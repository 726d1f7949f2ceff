import { issueServiceToken, parseServicePrivateKey } from '@tandem/auth';
import { uniqueId } from '@tandem/testing';
import { SERVICE_KEYS, newKrn, Support, supportToken } from './support';

describe('GET /internal/audit', () => {
  let support: Support;
  beforeAll(async () => {
    support = await Support.start();
    support.knowUsers();
  });
  afterAll(() => support.stop());

  const serviceToken = (audience = 'idp-support') =>
    issueServiceToken({
      privateKey: parseServicePrivateKey(SERVICE_KEYS.privateKeyOf('operator')),
      from: 'operator',
      audience,
      now: new Date(),
    });
  const list = async (query: Record<string, string>, token: Promise<string> | null = serviceToken()) =>
    support.sendRequest('GET', `/internal/audit?${new URLSearchParams(query).toString()}`, { token });
  const act = async (krn: string, actor: string) => {
    const { status } = await support.act('GET', krn, '', { token: supportToken({ sub: actor }) });
    expect(status).toBe(200);
  };

  it('lists by user and by actor, newest first [support-audit.list]', async () => {
    const [alice, bob] = [newKrn(), newKrn()];
    const [one, other] = [uniqueId('agent'), uniqueId('agent')];
    for (const [krn, actor] of [
      [alice, one],
      [bob, one],
      [alice, other],
    ] as const)
      await act(krn, actor);
    const pairsOf = async (query: Record<string, string>) =>
      (await list(query)).body.items.map(({ krn, actor }: { krn: string; actor: string }) => [krn, actor]);
    expect(await pairsOf({ krn: alice })).toEqual([
      [alice, other],
      [alice, one],
    ]);
    expect(await pairsOf({ actor: one })).toEqual([
      [bob, one],
      [alice, one],
    ]);
    expect(await pairsOf({ krn: alice, actor: one })).toEqual([[alice, one]]);
    expect((await pairsOf({})).slice(0, 3)).toEqual([
      [alice, other],
      [bob, one],
      [alice, one],
    ]);
  });

  it('shows who, what, when, why, in which request, and the outcome [support-audit.list]', async () => {
    const krn = newKrn();
    const headers = { 'x-request-id': 'req-9', 'x-support-reason': 'case 9' };
    await support.act('PATCH', krn, '', { body: { ssn: '6789' }, headers });
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect((await list({ krn })).body).toEqual({
      items: [
        {
          id: expect.stringMatching(/^\d+$/),
          ...{ actor: 'agent-7', action: 'user.update', krn, reason: 'case 9', requestId: 'req-9' },
          ...{ details: { fields: ['ssn'] }, outcome: 'succeeded', error: null, startedAt: time, finishedAt: time },
        },
      ],
      nextCursor: null,
      hasMore: false,
    });
  });

  it('returns all entries in pages, even while new ones are added [support-audit.list]', async () => {
    const krn = newKrn();
    for (let entry = 0; entry < 5; entry++) await act(krn, 'agent-7');
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: { items: { id: string }[]; nextCursor: string | null } } = await list({
        ...{ krn, limit: '2' },
        ...(cursor !== null && { cursor }),
      });
      ids.push(...body.items.map(({ id }) => id));
      cursor = body.nextCursor;
      await act(krn, 'agent-7');
    } while (cursor !== null);
    expect(ids).toHaveLength(5);
    expect(ids).toEqual([...new Set(ids)].sort((one, other) => Number(other) - Number(one)));
  });

  it('admits only the person on call, by a service token for idp-support', async () => {
    for (const token of [null, serviceToken('idp-api'), supportToken()]) {
      expect((await list({}, token)).status).toBe(401);
    }
  });

  it.each([
    { krn: 'bob' },
    { actor: '' },
    { cursor: 'x' },
    { limit: '0' },
    { limit: '501' },
    { user: 'krn:a:b:user:c' },
  ] as Record<string, string>[])('refuses %j', async (query) => {
    expect((await list(query)).status).toBe(400);
  });
});
