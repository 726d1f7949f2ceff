import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LoggerService } from '@nestjs/common';
import { eventually } from '@tandem/testing';
import { Idp, type TestUser } from './idp';

const SSN = '287653109';

/**
 * Makes writes of enrollments fail with an error that contains the social security number. The error has the number in the message, the
 * detail and the hint, because errors of Postgres may quote written data in all three.
 */
const FAILING_WRITES = `
  create function public.quote_the_row() returns trigger language plpgsql as $$
    begin
      raise exception 'invalid value "${SSN}"' using detail = 'Failing row contains (${SSN}).', hint = '${SSN}';
    end $$;
  create trigger quote_the_row before insert or update on idp.enrollment for each row execute function public.quote_the_row()`;

describe('what the worker logs and stores about a failure', () => {
  let idp: Idp;
  let user: TestUser;
  let vendor: Server;
  let answer: readonly [status: number, type: string, body: string];
  const lines: Record<string, unknown>[] = [];
  const keep = (...line: unknown[]): void =>
    void lines.push(...(line.filter((part) => part !== undefined) as Record<string, unknown>[]));

  beforeAll(async () => {
    vendor = createServer((request, response) => {
      const [status, type, body] = answer;
      request.resume();
      response.writeHead(status, { 'content-type': type }).end(body);
    }).listen(0, '127.0.0.1');
    await once(vendor, 'listening');
    idp = await Idp.start({ env: { RECONCILIATION_MAX_PAUSE_SECONDS: '1' } });
    user = await idp.createUser({ ssn: SSN });
    listen();
  });
  beforeEach(() => void lines.splice(0));
  afterAll(async () => {
    await idp.stop();
    vendor.closeAllConnections();
    vendor.close();
  });

  const listen = (): void =>
    idp.running.nest.useLogger({ log: keep, warn: keep, error: keep, debug: keep } as LoggerService);

  /**
   * Makes the user due, and waits until the worker's run has failed; the caller has set up the failure. Expects that neither the log nor the
   * stored error contains the social security number. @returns what the run logged and stored
   */
  async function failure(): Promise<{ logged: Record<string, unknown>; stored: string | null }> {
    await idp.database.query(
      `update idp.subscription_event set entitlements = '{idp.identity}' where subscription_id = $1`,
      [user.subscriptionId],
    );
    await idp.database.query(
      `insert into idp.reconciliation (krn, due_at) values ($1, now())
       on conflict (krn) do update set due_at = now(), last_error = null`,
      [user.krn],
    );
    const found = await eventually(async () => {
      const logged = lines.find(({ msg, krn }) => msg === 'reconciliation.failed' && krn === user.krn);
      const [row] = await idp.database.query<{ last_error: string | null }>(
        'select last_error from idp.reconciliation where krn = $1',
        [user.krn],
      );
      if (!logged || !row?.last_error) throw new Error('the run has not failed yet');
      return { logged, stored: row.last_error };
    });
    const raw = lines.map((line) => (line instanceof Error ? [line.message, line.stack] : line));
    expect(JSON.stringify([raw, found.stored])).not.toContain(SSN);
    return found;
  }

  it('contains the SQL state of a database error, but never its text [idp-user.private]', async () => {
    await idp.database.query(FAILING_WRITES);
    try {
      const { logged, stored } = await failure();
      expect(logged).toMatchObject({ reason: 'an internal error', code: 'P0001' });
      expect(stored).toBe('an internal error');
    } finally {
      await idp.database.query('drop trigger quote_the_row on idp.enrollment');
    }
  });

  it('is one log line when the queue becomes unreadable, and one when it is readable again, even if many polls fail', async () => {
    const outages = (): unknown[] =>
      lines.map(({ msg }) => msg).filter((msg) => String(msg).startsWith('reconciliation.queue'));
    const failedPolls = async (): Promise<number> => {
      const [row] = await idp.database.query<{ polls: string }>('select last_value as polls from public.failed_poll');
      return Number(row?.polls);
    };
    // A view replaces the queue's table. The view counts the polls, and makes each of them fail.
    await idp.database.query(`create sequence public.failed_poll;
      create function public.fail_the_poll() returns boolean language plpgsql security definer as $$
        begin
          perform nextval('public.failed_poll');
          raise exception 'the queue is broken';
        end $$;
      alter table idp.reconciliation rename to reconciliation_kept;
      create view idp.reconciliation as select * from idp.reconciliation_kept where public.fail_the_poll();
      grant all on idp.reconciliation to public`);
    await eventually(async () => expect(await failedPolls()).toBeGreaterThanOrEqual(3));
    await idp.database.query(
      `drop view idp.reconciliation; alter table idp.reconciliation_kept rename to reconciliation`,
    );
    await eventually(() => expect(outages()).toContain('reconciliation.queue_readable'));
    expect(outages()).toEqual(['reconciliation.queue_unreadable', 'reconciliation.queue_readable']);
  });

  it.each([
    [500, 'application/json', `{"error":"${SSN} could not be saved"}`],
    [400, 'application/json', `{"error":"${SSN} is invalid"}`],
    [200, 'application/json', `no JSON, but ${SSN}`],
    [200, 'text/plain', SSN],
  ] as const)('never contains the vendor’s answer: %i %s %s [idp-user.private]', async (...given) => {
    answer = given;
    const { port } = vendor.address() as AddressInfo;
    await idp.restart({ VENDOR_URL: `http://127.0.0.1:${port}/vendor/api` });
    listen();
    const { logged, stored } = await failure();
    expect(logged).toMatchObject({ reason: expect.stringMatching(/^provider unavailable \(/) });
    expect(stored).toBe(logged['reason']);
  });
});
