import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  callSuccessfully,
  deliverWebhook,
  inRepository,
  purchaseWebhook,
  refundWebhook,
  signable,
} from '@tandem/stack-client';
import type { SignedBody } from '@tandem/stack-client';
import { eventually, uniqueId } from '@tandem/testing';
import { withClient } from '../src/outcome';
import type { PurchaseTarget } from '../src/purchases';
import { Fleet } from '../src/replicas/fleet';
import { Sink } from '../src/sink';
import { ChaosStack } from '../src/stack';

const APPS = ['webhook-ingest', 'partner-gateway', 'postback-dispatcher', 'voucher-service'];

/** Returns the command line of a process, or an empty text when the process has ended. */
function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

// The start of the whole stack may include a build, on a machine that is busy with other tests.
jest.setTimeout(900_000);

describe('backup and restore', () => {
  const sink = new Sink();
  const bought: { oid: string; webhook: SignedBody }[] = [];
  /** The lines that the runner of the stack has printed since its last start. */
  let printed: string[] = [];
  let stack: ChaosStack;
  let fleet: Fleet;
  let target: PurchaseTarget;

  async function startStack(home?: string): Promise<void> {
    printed = [];
    stack = await ChaosStack.start('postgres', (line) => printed.push(line), {
      withoutApps: true,
      ...(home !== undefined && { home }),
    });
    fleet = await Fleet.start(stack, { replicasOf: (app) => Number(APPS.includes(app)) });
  }

  /** Runs a command of the repository on the stack. */
  async function command(...args: string[]): Promise<{ code: number | null; out: string }> {
    const child = spawn(process.execPath, [inRepository(args[0] as string), ...args.slice(1)], {
      env: { ...process.env, TANDEM_DIR: stack.home },
    });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (out += text.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out };
  }
  const succeed = async (...args: string[]): Promise<string> => {
    const { code, out } = await command(...args);
    if (code !== 0) throw new Error(`${args.join(' ')}: ${code}\n${out}`);
    return out;
  };
  const query = <Row extends object>(sql: string): Promise<Row[]> =>
    withClient(stack.postgresUrl, async (client) => (await client.query<Row>(sql)).rows);

  /** Makes purchases. @returns the ids of the sales, all of which webhook-ingest has accepted */
  async function buy(count: number): Promise<string[]> {
    const fresh = Array.from({ length: count }, () => {
      const oid = uniqueId('restore');
      const { promotionCode } = target;
      return { oid, webhook: signable(purchaseWebhook({ subscriptionId: oid, attribution: { promotionCode } })) };
    });
    await Promise.all(fresh.map(({ webhook }) => deliverWebhook(target, webhook)));
    bought.push(...fresh);
    return fresh.map(({ oid }) => oid);
  }
  const arrived = (oids: readonly string[]): Promise<void> =>
    eventually(() => expect(oids.filter((oid) => !sink.arrivals.has(oid))).toEqual([]), { timeoutMs: 60_000 });
  /** Waits until every purchase has its postback and no delivery is pending, and returns the database's time. */
  async function quietMoment(): Promise<string> {
    await arrived(bought.map(({ oid }) => oid));
    await eventually(async () =>
      expect(await query(`select from postback.delivery where status = 'pending'`)).toEqual([]),
    );
    const [row] = await query<{ now: Date }>('select clock_timestamp() as now');
    return new Date((row?.now.getTime() ?? 0) + 1).toISOString();
  }
  const stop = async (app: string): Promise<void> => void (await fleet.replicasOf(app).at(-1)?.stop());

  /** Checks that each purchase has one sale and one webhook-id, and that the statistics equal a recount. */
  async function expectEverySaleOnce(statuses: Readonly<Record<string, string>>): Promise<void> {
    const sales = await query<{ oid: string; status: string }>(
      `select oid, status from partner.sale where oid like 'restore%'`,
    );
    const expected = bought.map(({ oid }) => [oid, statuses[oid] ?? 'qualified']);
    expect(sales.map(({ oid, status }) => [oid, status]).sort()).toEqual(expected.sort());
    const several = [...sink.arrivals].filter(([, { webhookIds }]) => webhookIds.size > 1).map(([oid]) => oid);
    expect([sink.arrivals.size, several]).toEqual([bought.length, []]);
    expect(
      await query(`select key from bus.event_log where topic = 'sale.completed' group by key
      having count(distinct headers ->> 'ce_id') > 1`),
    ).toEqual([]);
    expect(JSON.parse(await succeed('tools/cli/bin/tandem.mjs', 'partner', 'recount', '--json'))).toEqual({
      corrected: 0,
    });
  }

  const statuses: Record<string, string> = {};
  const requests = (): number => [...sink.arrivals.values()].reduce((sum, arrival) => sum + arrival.requests, 0);

  beforeAll(async () => {
    await startStack();
    target = await stack.usePostbackEndpoint(await sink.listen());
  });
  afterAll(async () => {
    await fleet?.stop();
    sink.close();
    await stack?.stop();
  });

  it('starts its stack without the welcome text that npm start prints for people', () => {
    expect(printed).toContainEqual(expect.stringMatching(/✓ ready/));
    expect(printed.filter((line) => /is ready|curl|token/.test(line))).toEqual([]);
  });

  it('starts its stack with one line about the migrations, whose output is in logs/migrate.log', () => {
    expect(printed).toContainEqual(expect.stringMatching(/✓ migrate +[\d.]+ s \(\d+ migrations\)$/));
    expect(readFileSync(path.join(stack.home, 'logs/migrate.log'), 'utf8')).toMatch(/^\d+ migrations$/m);
  });

  it('takes a base backup of the running server once a restart has turned archiving on', async () => {
    await buy(5);
    const first = await command('tools/backup/backup.mjs');
    expect([first.code, first.out]).toEqual([1, expect.stringMatching(/No backup was taken yet: .* after a restart/)]);
    process.kill(stack.processOf('postgres').pid, 'SIGINT');
    await eventually(async () => expect(await query('show archive_mode')).toEqual([{ archive_mode: 'on' }]), {
      timeoutMs: 30_000,
    });
    await succeed('tools/backup/backup.mjs', '--off');
    expect(await succeed('tools/backup/backup.mjs')).toContain('for moments from');
    // The second backup also undid `--off`, which would have ended archiving at the next start.
    expect(
      await query(`select name from pg_file_settings where name = 'archive_mode' and setting = 'on' and error is null`),
    ).toHaveLength(1);
  });

  it('refuses to restore to a moment before the first backup, or to restore an app that is running', async () => {
    const early = await command('tools/backup/restore.mjs', '--app', 'partner-gateway', '--to', '2026-01-01T00:00:00Z');
    expect([early.code, early.out]).toEqual([1, expect.stringContaining('no base backup is older than')]);
    const now = new Date().toISOString();
    const running = await command('tools/backup/restore.mjs', '--app', 'partner-gateway', '--to', now);
    expect([running.code, running.out]).toEqual([1, expect.stringContaining('stop all processes of partner-gateway')]);
  });

  it('restores partner-gateway; later sales and revocations come back from the bus, without a second postback', async () => {
    const [early] = await buy(5);
    const to = await quietMoment();
    const [late, refunded] = await buy(5);
    await quietMoment();
    for (const oid of [early, late] as string[]) {
      statuses[oid] = 'revoked';
      await callSuccessfully(`${stack.file.baseUrl}/api/v2/partner/subscription/revoke`, {
        method: 'PUT',
        token: stack.file.partners.promotion.token,
        body: { subscriptionId: oid, reason: 'fraud' },
      });
    }
    statuses[refunded as string] = 'refunded';
    await deliverWebhook(target, signable(refundWebhook(refunded as string)));
    await eventually(async () =>
      expect(await query(`select from postback.sale_delivery where closed_by is not null`)).toHaveLength(1),
    );
    await stop('partner-gateway');
    await query(
      'truncate partner.sale, partner.sale_statistic, partner.promotion, partner.partner_token, partner.partner cascade',
    );
    const waiting = await buy(5);
    const before = requests();
    expect(await succeed('tools/backup/restore.mjs', '--app', 'partner-gateway', '--to', to)).toContain('partner.sale');
    await fleet.add('partner-gateway');
    await arrived(waiting);
    expect(await succeed('tools/backup/repair.mjs', '--app', 'partner-gateway', '--since', to)).toContain('2 restored');
    await expectEverySaleOnce(statuses);
    expect(requests()).toBe(before + waiting.length);
  });

  it('restores postback-dispatcher, which sends later postbacks again with the same webhook-id', async () => {
    const to = await quietMoment();
    const late = await buy(5);
    await quietMoment();
    await stop('postback-dispatcher');
    await query('truncate postback.delivery, postback.sale_delivery, postback.endpoint cascade');
    const before = requests();
    await succeed('tools/backup/restore.mjs', '--app', 'postback-dispatcher', '--to', to);
    await fleet.add('postback-dispatcher');
    await eventually(() => expect(requests()).toBe(before + late.length), { timeoutMs: 30_000 });
    await succeed('tools/backup/repair.mjs', '--app', 'postback-dispatcher', '--since', to);
    await expectEverySaleOnce(statuses);
  });

  const salesOf = (oids: readonly string[]): Promise<object[]> =>
    query(`select from partner.sale where oid in ('${oids.join(`','`)}')`);
  /**
   * Stops the stack, restores everything, and starts the stack again.
   * @param backups the name of the folder of backups; if it does not exist, the backups are moved there before the restore
   */
  async function restoreEverything(to: string, backups = 'backup'): Promise<void> {
    await fleet.stop();
    const home = (await stack.stop({ keep: true })) as string;
    const folder = path.join(home, backups);
    if (!existsSync(folder)) await rename(path.join(home, 'backup'), folder);
    const restored = await succeed('tools/backup/restore.mjs', '--to', to, '--folder', folder);
    const previous = (await readdir(path.join(home, 'postgres'))).filter((name) => name.startsWith('data-before-'));
    for (const name of previous) expect(restored).toContain(path.join(home, 'postgres', name));
    await startStack(home);
    target = { ...target, webhookUrl: `${stack.file.baseUrl}/idp/payments/webhook` };
  }

  it('restores everything to a later moment after a restore to a moment that was too early', async () => {
    const tooEarly = await quietMoment();
    const between = await buy(5);
    const to = await quietMoment();
    await restoreEverything(tooEarly);
    expect(await salesOf(between)).toEqual([]);
    await restoreEverything(to);
    expect(await salesOf(between)).toHaveLength(between.length);
    await expectEverySaleOnce(statuses);
  });

  /**
   * Starts a restore, and sends it a signal as soon as its server begins to recover in the folder `work`.
   * @returns what the restore printed on stderr
   */
  async function endRestore(signal: 'SIGINT' | 'SIGKILL', work: string, ...args: string[]): Promise<string> {
    const restoring = spawn(process.execPath, [inRepository('tools/backup/restore.mjs'), ...args], {
      env: { ...process.env, TANDEM_DIR: stack.home },
    });
    let printed = '';
    restoring.stderr.on('data', (text: Buffer) => (printed += text.toString()));
    const ended = once(restoring, 'close');
    await eventually(() => expect(existsSync(path.join(work, 'data/postmaster.pid'))).toBe(true), {
      timeoutMs: 30_000,
      everyMs: 5,
    });
    restoring.kill(signal);
    await ended;
    return printed;
  }
  /** Returns the command lines of the servers that use a folder. */
  const serversOf = async (folder: string): Promise<string[]> =>
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => commandLineOf(pid))
      .filter((line) => line.includes(path.join(folder, 'data')));

  it('stops the server that a killed restore of one app left running, when the command is run again', async () => {
    const to = await quietMoment();
    await stop('voucher-service');
    const work = path.join(stack.home, 'restoring');
    await endRestore('SIGKILL', work, '--app', 'voucher-service', '--to', to);
    expect(await serversOf(work)).not.toEqual([]);
    await succeed('tools/backup/restore.mjs', '--app', 'voucher-service', '--to', to);
    expect([existsSync(work), await serversOf(work)]).toEqual([false, []]);
    await fleet.add('voucher-service');
  });

  it('keeps the data when a restore is killed at any of several steps', async () => {
    const to = await quietMoment();
    await fleet.stop();
    const home = (await stack.stop({ keep: true })) as string;
    const inPostgres = (name: string): string => path.join(home, 'postgres', name);
    const [data, work] = [inPostgres('data'), inPostgres('restoring')];
    const restore = (): Promise<string> => succeed('tools/backup/restore.mjs', '--to', to);
    const records = async (): Promise<string[]> => (await readdir(path.join(home, 'backup/restores'))).sort();
    /** Creates the folder that an interrupted restore leaves. `record` is the file that records the restore. */
    const interrupt = async (record: string, folder = path.join(home, 'backup')): Promise<void> => {
      await mkdir(work);
      const stamp = record.replace('.json', '');
      const [backup] = await readdir(path.join(home, 'backup/base'));
      await writeFile(path.join(work, 'note.json'), JSON.stringify({ stamp, folder, backup, pid: 0 }));
    };
    expect(await endRestore('SIGINT', work, '--to', to)).toBe('Interrupted: nothing was changed.\n');
    expect([existsSync(work), existsSync(data)]).toEqual([false, true]);
    await endRestore('SIGKILL', work, '--to', to);
    const note = JSON.parse(await readFile(path.join(work, 'note.json'), 'utf8')) as { stamp: string };
    // Creates the state after a kill at the moment when the previous data had been moved, but the restored data had
    // not.
    await rename(data, inPostgres(`data-before-restore-${note.stamp}`));
    const refused = await command('tools/postgres/postgres.mjs', inPostgres(''));
    expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('was interrupted: run npm run restore')]);
    await restore();
    expect([existsSync(work), await serversOf(work)]).toEqual([false, []]);
    // Creates the state after the kill of a restore that was already recorded. The restore's note names a folder of backups that does not exist.
    const recorded = await records();
    const [last = ''] = recorded.slice(-1);
    await interrupt(last, '/unmounted');
    await rename(data, path.join(work, 'data'));
    const elsewhere = await command('tools/backup/restore.mjs', '--to', to, '--folder', path.join(home, 'elsewhere'));
    expect([elsewhere.code, elsewhere.out]).toEqual([1, expect.stringContaining('neither there nor in')]);
    await restore();
    expect(await records()).toHaveLength(recorded.length);
    expect(await records()).not.toContain(last);
    // Creates the same state, but the backups have moved: only the record shows to which folder the restore belongs.
    const unused = '2026-01-01T00-00-00.000Z.json';
    const history = path.join(home, 'backup/wal/00000063.history');
    for (const isInPlace of [false, true]) {
      await writeFile(
        path.join(home, 'backup/restores', unused),
        JSON.stringify({ stamp: unused.slice(0, -5), timeline: 99 }),
      );
      await writeFile(history, '');
      await interrupt(unused, '/moved');
      await mkdir(path.join(work, 'data'));
      // The second time, somebody has put the previous data back by hand.
      if (!isInPlace) await rename(data, inPostgres(`data-before-restore-${unused.slice(0, -5)}`));
      await restore();
      expect([existsSync(history), (await records()).includes(unused)]).toEqual([false, false]);
    }
    // Creates the state after a kill at the moment when the restored data had been moved, but the restore had not
    // ended.
    const [ended = ''] = (await records()).slice(-1);
    await interrupt(ended);
    const late = await command('tools/backup/restore.mjs', '--to', new Date().toISOString());
    expect([late.code, late.out]).toEqual([1, expect.stringContaining('the log has no commit after')]);
    expect([existsSync(work), existsSync(data)]).toEqual([false, true]);
    expect(await records()).toContain(ended);
    // Creates the same state, but the restored data was lost after the kill.
    await interrupt(ended);
    await rename(data, inPostgres('lost'));
    expect(await restore()).toContain('had put its data in place');
    expect([existsSync(work), existsSync(data), (await records()).includes(ended)]).toEqual([false, true, true]);
    await startStack(home);
    target = { ...target, webhookUrl: `${stack.file.baseUrl}/idp/payments/webhook` };
    await expectEverySaleOnce(statuses);
    // The server can still archive, although one of these restores failed.
    await succeed('tools/backup/backup.mjs');
  });

  it('restores everything; webhooks that billing sends again create the same sales with the same webhook-ids', async () => {
    const to = await quietMoment();
    const late = await buy(5);
    await quietMoment();
    expect((await command('tools/backup/restore.mjs', '--to', to)).out).toContain('stop it first');
    await restoreEverything(to, 'moved-backups');
    expect(await query('show archive_command')).toEqual([
      { archive_command: expect.stringContaining('moved-backups/wal') as unknown },
    ]);
    expect(await salesOf(late)).toEqual([]);
    const before = requests();
    for (const { oid, webhook } of bought) if (late.includes(oid)) await deliverWebhook(target, webhook);
    await eventually(() => expect(requests()).toBe(before + late.length), { timeoutMs: 30_000 });
    await succeed('tools/backup/repair.mjs', '--since', to);
    await expectEverySaleOnce(statuses);
  });

  it('restores a server for the second time, from a new folder of backups', async () => {
    const folder = path.join(stack.home, 'moved-backups');
    await rename(folder, path.join(stack.home, 'lost-backups'));
    await succeed('tools/backup/backup.mjs', '--folder', folder);
    await buy(2);
    await restoreEverything(await quietMoment(), 'moved-backups');
    await expectEverySaleOnce(statuses);
  });

  it('restores to the end of the log when the disk is lost, but refuses a log in which a segment is missing', async () => {
    const folder = path.join(stack.home, 'moved-backups');
    const wal = path.join(folder, 'wal');
    const segments = async (): Promise<string[]> =>
      (await readdir(wal)).filter((name) => /^[0-9A-F]{24}$/.test(name)).sort();
    await succeed('tools/backup/backup.mjs', '--folder', folder);
    const earlier = await segments();
    let boughtAt = 0;
    for (let count = 1; count <= 2; count += 1) {
      boughtAt = Date.now();
      await buy(1);
      await quietMoment();
      await query('select pg_switch_wal()');
      await eventually(async () => expect((await segments()).length).toBeGreaterThanOrEqual(earlier.length + count));
    }
    await fleet.stop();
    const home = (await stack.stop({ keep: true })) as string;
    await rename(path.join(home, 'postgres/data'), path.join(home, 'postgres/lost-disk'));
    const [missing = ''] = (await segments()).filter((name) => !earlier.includes(name));
    await rename(path.join(wal, missing), path.join(folder, missing));
    const refused = await command('tools/backup/restore.mjs', '--folder', folder);
    expect([refused.code, refused.out]).toEqual([1, expect.stringContaining(`${missing} is missing`)]);
    await rename(path.join(folder, missing), path.join(wal, missing));
    const [, lastCommit = ''] = /its last commit is from (\S+)\./.exec(
      await succeed('tools/backup/restore.mjs', '--folder', folder),
    ) as RegExpExecArray;
    expect(Date.parse(lastCommit)).toBeGreaterThanOrEqual(boughtAt);
    expect(Date.parse(lastCommit)).toBeLessThan(Date.now());
    await startStack(home);
    await expectEverySaleOnce(statuses);
  });
});
