import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { eventually, forkSource } from '@tandem/testing';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { createBody, Idp } from './idp';

const SECRETS = {
  firstName: 'Zebulonia',
  lastName: 'Quackenbush',
  dob: '1971-11-23',
  emailAddress: 'zebulonia.quackenbush@mailbox.test',
  phoneNumber: '5039174460',
  ssn: '287653109',
  address: { street: '4711 Hollyhock Terrace', city: 'Wilsonville', state: 'OR', zip: '97070-1234' },
};

/** Values, or parts of values, of `SECRETS`. None of them may be readable in a table, an event, a log line, a metric or an answer. */
const VALUES = [
  'Zebulonia',
  'Quackenbush',
  '1971-11-23',
  'mailbox.test',
  '5039174460',
  '287653109',
  'Hollyhock',
  'Wilsonville',
  '97070-1234',
];

describe('personal data', () => {
  let idp: Idp;
  let child: ChildProcess;
  let url: string;
  let output = '';
  beforeAll(async () => {
    idp = await Idp.start({ start: false, env: { LOG_LEVEL: 'trace' } });
    const pipes = { stdout: 'pipe', stderr: 'pipe' } as const;
    child = forkSource(path.join(__dirname, 'idp-process.ts'), idp.environment, pipes);
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
    [{ url }] = (await once(child, 'message')) as [{ url: string }];
  });
  afterAll(async () => {
    child.kill('SIGKILL');
    await idp.stop();
  });

  /** Returns as text all rows of all tables of the schemas `idp` and `bus`, and the decoded payloads of events. */
  async function everythingStored(): Promise<string> {
    const tables = await idp.database.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('idp', 'bus')`,
    );
    const rows = await Promise.all(
      tables.map(({ name }) => idp.database.query<{ row: string }>(`select t::text as row from ${name} t`)),
    );
    const bytes = await idp.database.query<{ value: string }>(
      `select convert_from(value, 'UTF8') as value from bus.event_log
       union all select convert_from(payload, 'UTF8') from idp.outbox`,
    );
    return JSON.stringify([rows, bytes]);
  }

  it('is readable in no table, no event, no log line, no metric and no answer [idp-user.private]', async () => {
    const user = { ...(await idp.entitledUser()), url };
    const answers: string[] = [];
    const send = async (method: string, at: string, body?: unknown): Promise<number> => {
      const answer = await idp.request(method, at, user, body);
      answers.push(answer.text);
      return answer.status;
    };
    idp.vendor.faults.set('users', { fault: 'error', times: 1 });
    expect(await send('POST', '', createBody(SECRETS))).toBe(502);
    expect(await send('POST', '', createBody({ ...SECRETS, ssn: '28765310', address: { street: 'Hollyhock' } }))).toBe(
      400,
    );
    expect(await send('POST', '', JSON.stringify(createBody(SECRETS)).slice(0, -1))).toBe(400);
    expect(await send('POST', '', createBody(SECRETS))).toBe(200);
    expect(await send('GET', '/me')).toBe(200);
    idp.vendor.faults.set('verify', { fault: 'refuse', times: 1 });
    expect(await send('PATCH', '/me', { ssn: SECRETS.ssn })).toBe(429);
    idp.vendor.faults.set('users', { fault: 'error', times: 2 });
    expect(await send('PATCH', '/me', { emailAddress: SECRETS.emailAddress })).toBe(502);
    await eventually(async () =>
      expect(await idp.database.publishedEvents('idp', 'enrollment.changed', user.krn)).toHaveLength(3),
    );
    expect(idp.vendor.users.get(arrayUserIdOf(user.krn))?.data).toMatchObject(SECRETS);

    const metrics = await (await fetch(`${url}/metrics`)).text();
    const everything = { stored: await everythingStored(), output, metrics, answers: answers.join() };
    expect(everything.output).toContain('verification.refused');
    expect(everything.stored).toContain(user.krn);
    for (const [where, text] of Object.entries(everything)) {
      for (const value of VALUES)
        expect({ where, value, found: text.includes(value) }).toEqual({ where, value, found: false });
    }
  });
});
