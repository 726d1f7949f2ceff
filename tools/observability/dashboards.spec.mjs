import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { inRoot } from '../stack/paths.mjs';
import { STACK_TIMEOUT_MS, startTestStack } from '../test/test-stack.mjs';
import { RULES } from './files.mjs';
import { exists, metricsIn, metricsOf } from './metric-names.mjs';
import { configFor, emptyPanels, panelQueries, query } from './panel-check.mjs';
import { findPrometheus, startPrometheus } from './prometheus.mjs';

jest.setTimeout(2 * STACK_TIMEOUT_MS);

/** How long panels without data are watched after the demo: some metrics are measured only every 15 s. */
const LAST_LOOK_MS = 60_000;
/** Matches the metrics that prom-client adds to every Node process. */
const DEFAULTS = /^(process|nodejs)_/;

const rules = fs
  .readdirSync(RULES)
  .flatMap((name) => parse(fs.readFileSync(path.join(RULES, name), 'utf8')).groups)
  .flatMap((group) => group.rules);

/** Runs the demo. @throws with its output when it fails */
async function runDemo(env) {
  const demo = spawn(process.execPath, [inRoot('tools/demo/dist/main.js')], { env });
  let out = '';
  demo.stdout.on('data', (text) => (out += text));
  demo.stderr.on('data', (text) => (out += text));
  const [code] = await once(demo, 'exit');
  expect([out, code]).toEqual([out, 0]);
}

describe('a stack after the demo', () => {
  const skip = Boolean(process.env.PROMETHEUS_SKIP);
  const itWithPrometheus = skip ? it.skip : it;
  let running;
  let prometheus;
  let empty;
  /** The metrics of all apps together. */
  let metrics = new Map();

  beforeAll(async () => {
    running = await startTestStack();
    const over = new AbortController();
    const demo = runDemo(running.environment).finally(() => setTimeout(() => over.abort(), LAST_LOOK_MS).unref());
    [empty] = await Promise.all([skip ? undefined : watchPanels(over.signal), demo]);
    for (const { metrics: url } of Object.values(running.stack.apps))
      metrics = new Map([...metrics, ...metricsOf(await (await fetch(url)).text())]);
  });
  afterAll(async () => {
    await prometheus?.stop();
    await running?.stop();
  });

  /**
   * Watches the panels until each has had data once, or `signal` aborts. Runs during the demo, because rates drop to zero when the demo ends.
   * @returns the queries that never had data
   */
  async function watchPanels(signal) {
    const config = path.join(running.home, 'prometheus.yml');
    fs.writeFileSync(config, configFor(running.stack));
    const { prometheus: program } = await findPrometheus();
    prometheus = await startPrometheus({ program, config, folder: path.join(running.home, 'prometheus') });
    return emptyPanels(prometheus.url, panelQueries({ job: 'partner-gateway' }), signal);
  }

  itWithPrometheus('has had data for every query of every panel', () => {
    expect(empty).toEqual([]);
  });

  itWithPrometheus('has rules that Prometheus evaluates without an error', async () => {
    const response = await fetch(`${prometheus.url}/api/v1/rules`);
    const { data } = /** @type {any} */ (await response.json());
    const evaluated = data.groups.flatMap((group) => group.rules);
    expect(evaluated.length).toBe(rules.length);
    expect(evaluated.flatMap(({ name, lastError }) => (lastError ? [`${name}: ${lastError}`] : []))).toEqual([]);
  });

  itWithPrometheus('fires none of the alerts AppDown, OutboxUnattended and PostbackShardsUnowned', async () => {
    const missing = 'alertname=~"AppDown|OutboxUnattended|PostbackShardsUnowned"';
    expect(await query(prometheus.url, `ALERTS{alertstate="firing",${missing}}`)).toEqual([]);
    expect(await query(prometheus.url, 'up')).not.toEqual([]);
  });

  it('has every metric that a rule or dashboard reads', () => {
    const recorded = new Set(rules.flatMap(({ record }) => record ?? []));
    const read = [...rules, ...panelQueries({ job: 'idp-api' })].flatMap(({ expr }) => metricsIn(expr));
    expect(read.length).toBeGreaterThan(50);
    expect([...new Set(read)].filter((name) => !exists(name, metrics, recorded))).toEqual([]);
  });

  it('has exactly the metrics of docs/operations.md, apart from the default metrics of Node processes', () => {
    const [, section] =
      /## What to watch\n(.*?)\n## /s.exec(fs.readFileSync(inRoot('docs/operations.md'), 'utf8')) ?? [];
    const cells = [...(section ?? '').matchAll(/^\| (`[a-z].*?) +\|/gm)].map(([, cell]) => cell);
    const documented = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)(?:\{[^`]*\})?`/g)].map(([, name]) => name));
    const own = [...metrics.keys()].filter((name) => !DEFAULTS.test(name));
    expect(documented.sort()).toEqual(own.sort());
  });
});
