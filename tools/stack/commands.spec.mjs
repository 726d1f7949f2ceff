import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { APPS, variableOf } from '../../apps/apps.js';

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'commands-'));
afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

/** Runs a command of tools/stack with a separate stack folder. */
async function run(file, args, env = {}) {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, file), ...args], {
    env: { ...process.env, TANDEM_DIR: home, ...env },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (err += text));
  const [code] = await once(child, 'exit');
  return { code, out, err };
}

describe('npm start', () => {
  it('names every unusable port with the variable that changes it, and starts nothing', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = String(/** @type {net.AddressInfo} */ (server.address()).port);
    const ports = {
      EDGE_PORT: port,
      TANDEM_POSTGRES_PORT: 'abc',
      SANDBOX_PORT: '0',
      ...Object.fromEntries(APPS.map(({ name }) => [variableOf(name, 'PORT'), '0'])),
    };
    const { code, err } = await run('start.mjs', [], ports);
    server.close();
    expect(code).toBe(1);
    expect(err).toMatch(new RegExp(`port ${port} \\(edge\\) is in use: set EDGE_PORT to another one`));
    expect(err).toMatch(/TANDEM_POSTGRES_PORT must be a port from 0 to 65535, not "abc"/);
    expect(fs.readdirSync(home).filter((name) => name.endsWith('.pid') || name.endsWith('.json'))).toEqual([]);
  });

  it('refuses a port that fetch and browsers refuse, and names the variable that changes it', async () => {
    const { code, err } = await run('start.mjs', [], { EDGE_PORT: '10080' });
    expect(code).toBe(1);
    expect(err).toMatch(/port 10080 \(edge\) is refused by fetch and browsers: set EDGE_PORT to another one/);
  });

  it('refuses an unknown bus and names the allowed ones, and prints its options with --help', async () => {
    const wrong = await run('start.mjs', ['--bus', 'rabbit']);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toMatch(/--bus must be kafka or postgres, not "rabbit"/);
    const help = await run('start.mjs', ['--help']);
    expect(help.code).toBe(0);
    expect(help.out).toMatch(/EDGE_PORT 8080/);
  });
});

describe('npm start -- --bus kafka', () => {
  it('fetches Kafka in a separate step before the start, and reports why the step failed', async () => {
    const programs = fs.mkdtempSync(path.join(home, 'programs-'));
    const program = (name, text) =>
      fs.writeFileSync(path.join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    program('java', `echo 'openjdk version "17.0.1"' >&2`);
    program('mvn', 'echo the repository cannot be reached; exit 1');
    const names = [
      'EDGE_PORT',
      'SANDBOX_PORT',
      'TANDEM_KAFKA_PORT',
      ...APPS.map(({ name }) => variableOf(name, 'PORT')),
    ];
    const { code, out, err } = await run('start.mjs', ['--bus', 'kafka'], {
      ...Object.fromEntries(names.map((name) => [name, '0'])),
      PATH: `${programs}${path.delimiter}${process.env.PATH}`,
      TANDEM_POSTGRES_URL: 'postgres://127.0.0.1:1/none',
      JAVA_HOME: '',
      KAFKA_BROKERS: '',
      KAFKA_CACHE_DIR: path.join(home, 'kafka-cache'),
    });
    expect(code).toBe(1);
    expect(out).toMatch(/✗ fetch Kafka/);
    expect(err).toMatch(/the repository cannot be reached/);
  });
});

describe('npm run stack:info', () => {
  it('says that the stack of docker compose does not run, and how to start it', async () => {
    const names = ['EDGE_PORT', 'POSTGRES_PORT', ...APPS.map(({ name }) => variableOf(name, 'PORT'))];
    const { code, err } = await run('stack-info.mjs', [], Object.fromEntries(names.map((name) => [name, '1'])));
    expect(err).toMatch(/Postgres does not answer at 127\.0\.0\.1:1: ECONNREFUSED/);
    expect(err).toMatch(/docker compose up -d --wait/);
    expect(code).toBe(1);
  });

  it('refuses to run while npm start runs, because npm start describes its stack itself', async () => {
    const start = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', 'start.mjs']);
    const runner = path.join(home, 'runner.pid');
    fs.writeFileSync(runner, String(start.pid));
    try {
      const { code, err } = await run('stack-info.mjs', []);
      expect(code).toBe(1);
      expect(err).toMatch(
        new RegExp(`npm start runs here \\(process ${start.pid}\\) and describes its stack in .*stack\\.json itself`),
      );
    } finally {
      fs.rmSync(runner, { force: true });
      start.kill();
    }
  });
});
