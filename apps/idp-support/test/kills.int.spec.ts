import { once } from 'node:events';
import path from 'node:path';
import { eventually, forkApp, sendRequest } from '@tandem/testing';
import { newKrn, receiptToken, Support, supportToken, supportUser } from './support';

// Starting a process takes long, because each process compiles the app.
jest.setTimeout(120_000);

/** A separate process of the app is killed by SIGKILL during or after an action. The app in the test's own process keeps running. */
describe('an idp-support that is killed', () => {
  let support: Support;
  beforeAll(async () => {
    support = await Support.start();
  });
  afterAll(() => support.stop());

  const startProcess = () => forkApp(path.join(__dirname, 'support-process.ts'), support.env);

  /** Sends a request to a separate process, which is killed during its call to idp-api, before it gets the answer. */
  async function killAtCall(method: string, krn: string, at: string, body?: object): Promise<void> {
    const { child, url } = await startProcess();
    const gone = once(child, 'exit');
    support.identity.answerBy(({ url: asked }) => {
      if (asked.includes(encodeURIComponent(krn))) child.kill('SIGKILL');
      return [200, supportUser(krn)];
    });
    const target = `${url}/idp/support/users/${encodeURIComponent(krn)}${at}`;
    await expect(sendRequest(method, target, { token: supportToken(), body })).rejects.toThrow();
    await gone;
  }

  it.each([
    ['DELETE', '', 'user.delete', undefined],
    ['POST', '/enroll', 'user.enroll', { srts: [] }],
  ])(
    'leaves an entry with the outcome started if killed during %s %s, and the request can be repeated [support-audit.killed]',
    async (method, at, action, body) => {
      const krn = newKrn();
      await killAtCall(method, krn, at, body);
      expect(support.asked(krn)).toHaveLength(1);
      expect(await support.trail(krn)).toMatchObject([{ action, actor: 'agent-7', outcome: 'started' }]);
      support.knowUsers();
      const srts = at === '/enroll' ? { srts: [await receiptToken(krn)] } : body;
      expect((await support.act(method, krn, at, { body: srts })).status).toBe(200);
      expect(await support.trail(krn)).toMatchObject([{ outcome: 'started' }, { outcome: 'succeeded' }]);
    },
  );

  it('publishes nothing if killed during a sync, before the commit [support-audit.killed]', async () => {
    const krn = newKrn();
    await killAtCall('POST', krn, '/enrollment-sync');
    expect(await support.published('enrollment.sync', krn)).toEqual([]);
    expect(await support.trail(krn)).toMatchObject([{ action: 'user.sync', outcome: 'started' }]);
  });

  it('publishes the event of a sync if killed after the answer, and the entry has the outcome succeeded [support-sync.durable]', async () => {
    support.knowUsers();
    const { child, url } = await startProcess();
    const krn = newKrn();
    const target = `${url}/idp/support/users/${encodeURIComponent(krn)}/enrollment-sync`;
    const { status, body } = await sendRequest('POST', target, { token: supportToken() });
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    expect(status).toBe(202);
    await eventually(async () =>
      expect(await support.database.query('select 1 from bus.event_log where key = $1', [krn])).toHaveLength(1),
    );
    expect(await support.trail(krn)).toMatchObject([{ details: { eventId: body.eventId }, outcome: 'succeeded' }]);
  });
});
