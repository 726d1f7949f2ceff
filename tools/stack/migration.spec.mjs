import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { migrate } from './migration.mjs';
import { inRoot } from './paths.mjs';
import { Runner } from './runner.mjs';

describe('the migration of npm start', () => {
  const checkout = fs.mkdtempSync(path.join(os.tmpdir(), 'migration-'));
  afterAll(() => fs.rmSync(checkout, { recursive: true, force: true }));
  fs.mkdirSync(path.join(checkout, 'tools/stack'), { recursive: true });
  const script = `
    console.log('[Nest] 1 - LOG [Topics] created');
    console.error('{"level":"ERROR","logger":"kafkajs"}');
    if (process.env.BROKEN) throw new Error('no broker');
    process.stderr.write('{"level":');
    setTimeout(() => console.log('3 migrations'), 100);
    setTimeout(() => console.error('"WARN","logger":"kafkajs"}'), 200);`;
  fs.writeFileSync(path.join(checkout, 'tools/stack/migrate.mjs'), script);

  const logged = [];
  const runner = new Runner({ onLine: (name, line) => logged.push(`${name}: ${line}`) });
  beforeEach(() => logged.splice(0));

  it('returns the number of migrations, and writes its log lines only to the logs', async () => {
    expect(await migrate(runner, {}, checkout)).toBe('3 migrations');
    expect(logged.sort()).toEqual([
      'migrate: 3 migrations',
      'migrate: [Nest] 1 - LOG [Topics] created',
      'migrate: {"level":"ERROR","logger":"kafkajs"}',
      'migrate: {"level":"WARN","logger":"kafkajs"}',
    ]);
  });

  it('includes its log lines in the error and in the logs when it fails', async () => {
    await expect(migrate(runner, { BROKEN: '1' }, checkout)).rejects.toThrow(/kafkajs[^]*no broker/);
    expect(logged.join('\n')).toMatch(/migrate: .*no broker/);
  });
});

describe('npm run migrate', () => {
  it('names lines of the TypeScript sources when it fails', () => {
    const env = { ...process.env, SUPERUSER_URL: 'postgres://[', ROLE_PASSWORDS: '{}', EVENT_BUS: 'postgres' };
    const { status, stderr } = spawnSync(process.execPath, [inRoot('tools/stack/migrate.mjs')], {
      encoding: 'utf8',
      env,
    });
    expect(stderr).toMatch(/libs\/service-defaults\/src\/migrate-apps\.ts:\d+/);
    expect(stderr).not.toMatch(/dist\/migrate/);
    expect(status).toBe(1);
  });

  it('refuses arguments, and migrates nothing', () => {
    // No stack runs in an empty folder, so this test migrates nothing even if the command stops refusing arguments.
    const env = {
      ...process.env,
      TANDEM_DIR: fs.mkdtempSync(path.join(os.tmpdir(), 'migrate-')),
      SUPERUSER_URL: undefined,
    };
    const { status, stdout, stderr } = spawnSync(process.execPath, [inRoot('tools/stack/migrate.mjs'), '--dry-run'], {
      encoding: 'utf8',
      env,
    });
    fs.rmSync(env.TANDEM_DIR, { recursive: true });
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: 'npm run migrate has no option --dry-run: it takes no arguments\n',
    });
  });
});
