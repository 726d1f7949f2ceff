import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { APPS, variableOf } from '../../apps/apps.js';
import { mintToken } from '../stack/tokens.mjs';
import { copyWorkspace, keepSites } from './workspace-copy.mjs';

const APP = 'parcel-tracking';
const QUIET_APP = 'depot-list';

// The test builds the whole stack first, which takes long on a machine that runs other tests.
jest.setTimeout(900_000);
const STEP_MS = 600_000;
const require = createRequire(import.meta.url);

/** Polls until there is a result. @throws after `STEP_MS` */
async function until(ask, what) {
  for (const deadline = Date.now() + STEP_MS; Date.now() < deadline; await delay(50)) {
    const answer = await ask();
    if (answer) return answer;
  }
  throw new Error(`${what}: no result after ${STEP_MS} ms`);
}

describe('the recipe of CONTRIBUTING, in a copy of the workspace', () => {
  let copy;
  let stack;
  let changes;
  beforeAll(async () => {
    copy = copyWorkspace();
    changes = {
      app: await generate('app', APP, '--route', '/parcels'),
      endpoint: await generate('endpoint', APP, 'parcel-label'),
      event: await generate('event', 'parcel.lost', APP),
      quiet: await generate('app', QUIET_APP, '--without-events'),
    };
    keepSites(copy);
    stack = await startStack();
  });
  afterAll(async () => {
    await stack?.stop();
    fs.rmSync(copy, { recursive: true, force: true });
  });

  /** Runs `npm run new`, and returns the files that the command lists as new, as edited and as derived. */
  async function generate(...args) {
    const { stdout } = await node('tools/new/new.mjs', args);
    const files = (kind) => [...stdout.matchAll(new RegExp(`^${kind} +(.*)$`, 'gm'))].map(([, file]) => file);
    return { created: files('new'), edited: files('edited'), derived: files('derived') };
  }

  const node = (file, args, env = {}) =>
    promisify(execFile)(process.execPath, [path.join(copy, file), ...args], {
      cwd: copy,
      env: { ...process.env, ...env },
    });

  /** Runs `npm start` in the copy. */
  async function startStack() {
    const home = path.join(copy, '.tandem');
    const added = [APP, QUIET_APP].map((name) => variableOf(name, 'PORT'));
    const names = ['EDGE_PORT', 'SANDBOX_PORT', 'TANDEM_POSTGRES_PORT', ...added];
    const ports = [...names, ...APPS.map(({ name }) => variableOf(name, 'PORT'))].map((name) => [name, '0']);
    // Starts only the new apps, for speed. The others are still built and migrated.
    const args = ['--bus', 'postgres', ...APPS.flatMap(({ name }) => ['--without', name])];
    const child = spawn(process.execPath, [path.join(copy, 'tools/stack/start.mjs'), ...args], {
      cwd: copy,
      env: { ...process.env, TANDEM_DIR: home, TANDEM_POSTGRES_URL: '', ...Object.fromEntries(ports) },
      // Through the IPC channel, the stack notices the end of this process, even if this process is killed.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    const stop = async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    };
    const file = path.join(home, 'stack.json');
    try {
      await until(() => child.exitCode !== null || fs.existsSync(file), 'the stack');
      expect([output, child.exitCode]).toEqual([output, null]);
    } catch (error) {
      await stop();
      throw error;
    }
    return { ...JSON.parse(fs.readFileSync(file, 'utf8')), stop };
  }

  it('creates an app with at most 8 files and 3 edits, plus its files for containers and Kubernetes', () => {
    const isDeployed = (file) => /^(k8s|observability|docs|docker-compose)/.test(file);
    const { created, edited } = changes.app;
    expect(created.filter((file) => !isDeployed(file)).length).toBeLessThanOrEqual(8);
    expect(edited.filter((file) => !isDeployed(file))).toEqual(['apps/apps.js', 'tsconfig.json', 'package-lock.json']);
    expect(created).toContain(`k8s/base/${APP}/deployment.yaml`);
  });

  it('leaves containers, manifests of every overlay and alert rules that pass their checks', async () => {
    await node('tools/deployment/dist/k8s/main.js', []);
    await node('tools/edge/dist/nginx/main.js', []);
    await node('tools/observability/observability.mjs', ['write']);
    const checks = ['tools/deployment/test/compose', 'tools/deployment/test/k8s/overlays', 'tools/observability/rules'];
    await node('node_modules/jest/bin/jest.js', checks, { DATABASE_URL: '' });
  });

  it('leaves apps and tests without type errors', async () => {
    await node('node_modules/@typescript/native/bin/tsc', [
      '-b',
      `apps/${APP}`,
      `apps/${QUIET_APP}`,
      'tools/conformance',
    ]);
  });

  it('creates an app without events, which starts, and refuses to add an endpoint with an event to this app', async () => {
    const sources = changes.quiet.created.map((file) => fs.readFileSync(path.join(copy, file), 'utf8'));
    expect(sources.join()).not.toMatch(/messaging|EVENT_BUS|\[(no )?events\]/);
    const { status } = await fetch(stack.apps[QUIET_APP].health);
    expect(status).toBe(200);
    await expect(generate('endpoint', QUIET_APP, 'depot')).rejects.toThrow(/depot-list has no events/);
  });

  it('creates an endpoint whose own tests prove each of its conformance rules', () => {
    const read = (file) => fs.readFileSync(path.join(copy, file), 'utf8');
    const rules = read('tools/conformance/src/rules/parcel-labels.ts').match(/(?<=')parcel-labels\.\w+(?=')/g);
    const proven = read(`apps/${APP}/test/create-parcel-label.int.spec.ts`).match(/(?<=\[)parcel-labels\.\w+(?=\])/g);
    expect(rules).toEqual(['create', 'read', 'input', 'token'].map((id) => `parcel-labels.${id}`));
    expect(proven.toSorted()).toEqual(rules.toSorted());
    expect(read('tools/conformance/src/rules/index.ts')).toMatch(/PARCEL_LABELS,\n\];/);
  });

  it.each([
    [
      'a route without a slash',
      ['app', 'sorting-center', '--route', 'depots'],
      '--route must be like /parcels, not "depots"',
    ],
    [
      'a route of another app',
      ['app', 'sorting-center', '--route', '/admin'],
      '--route /admin is not free: /admin leads to partner-gateway',
    ],
    ['a feature with the name of another one', ['endpoint', APP, 'token'], 'rules/tokens.ts already exists: choose'],
    ['a feature whose rules would clash', ['endpoint', APP, 'section'], 'rules/index.ts already has SECTIONS: choose'],
    ['a second name', ['app', 'sorting-center', 'depot'], 'app takes no name such as "depot"'],
    ['no command', [], 'name what to add: app, event, endpoint'],
  ])('refuses %s, and writes nothing', async (_, args, message) => {
    const { stderr, stdout } = await generate(...args).then(
      () => ({ stderr: '', stdout: '' }),
      (error) => error,
    );
    expect([stderr.split('\n')[0], stdout]).toEqual([expect.stringContaining(message), '']);
    expect(fs.existsSync(path.join(copy, 'apps/sorting-center'))).toBe(false);
    expect(fs.existsSync(path.join(copy, `apps/${APP}/src/token`))).toBe(false);
  });

  it('lists the generated files of libs/contracts', () => {
    const listed = Object.values(changes).flatMap(({ created, edited, derived }) => [
      ...created,
      ...edited,
      ...derived,
    ]);
    for (const file of ['asyncapi.json', 'samples/checksums.json', 'schemas/parcel-label.created.schema.json'])
      expect(listed).toContain(`libs/contracts/${file}`);
  });

  it('creates an event with 3 new or edited files', () => {
    const { created, edited } = changes.event;
    expect([[...created, ...edited].join(), created.length + edited.length]).toEqual([
      [...created, ...edited].join(),
      3,
    ]);
  });

  it('leaves a table of apps and references in tsconfig files that pass their tests', async () => {
    await node('node_modules/jest/bin/jest.js', ['tools/stack/apps']);
  });

  it('leaves READMEs that state the events and the environment variables of the new apps', async () => {
    const pages = ['tools/conformance/test/service-pages', '-t', `${APP}|${QUIET_APP}`];
    await node('node_modules/jest/bin/jest.js', pages);
  });

  it('leaves files formatted as npm run format:check requires', async () => {
    const files = Object.values(changes).flatMap(({ created, edited }) => [...created, ...edited]);
    await node('node_modules/prettier/bin/prettier.cjs', ['--check', '--ignore-unknown', ...new Set(files)]);
  });

  const createLabel = (headers) =>
    fetch(`${stack.baseUrl}/parcels/parcel-labels`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ name: 'first' }),
    });

  it('creates an endpoint that answers 401 to a caller without a token', async () => {
    expect((await createLabel({})).status).toBe(401);
  });

  it('starts the new app behind the edge with npm start, where the new endpoint publishes its event', async () => {
    const user = { family: 'service', sub: 'krn:tandem:dev:user:sender', expiresIn: 600 };
    const token = await mintToken(stack.sandbox.issuer, user);
    const answer = await createLabel({ authorization: `Bearer ${token}` });
    const label = /** @type {any} */ (await answer.json());
    expect([JSON.stringify(label), answer.status]).toEqual([JSON.stringify(label), 201]);
    const published = await eventOnBus('parcel-label.created', label.id);
    expect(JSON.parse(published)).toEqual({ id: label.id, createdAt: label.createdAt });
  });

  it('leaves a new app whose own tests pass', async () => {
    // The tests use a separate Postgres, because they would change the passwords of the stack's roles.
    await node('node_modules/jest/bin/jest.js', [`apps/${APP}`, '--selectProjects', APP], { DATABASE_URL: '' });
  });

  /** Waits until the relay has published the event with this key, and returns its data. */
  async function eventOnBus(topic, key) {
    const { Client } = require('pg');
    const client = new Client({ connectionString: stack.postgres.url });
    await client.connect();
    try {
      const sql = `select convert_from(value, 'UTF8') as data from bus.event_log where topic = $1 and key = $2`;
      const [event] = await until(async () => {
        const { rows } = await client.query(sql, [topic, key]);
        return rows.length > 0 && rows;
      }, topic);
      return event.data;
    } finally {
      await client.end();
    }
  }
});
