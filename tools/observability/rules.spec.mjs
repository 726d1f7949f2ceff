import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { APPS } from '../../apps/apps.js';
import { inRoot, readJson, ROOT } from '../stack/paths.mjs';
import { PROMETHEUS_CONFIG, RULE_TESTS, RULES } from './files.mjs';
import { readDashboards } from './panel-check.mjs';
import { findPrometheus } from './prometheus.mjs';

const run = promisify(execFile);
const read = (file) => fs.readFileSync(file, 'utf8');
const PAGES = inRoot('docs/operations');
const COLLECTED = 'count by (alertname) (ALERTS{alertstate="firing"})';

const ruleFiles = fs.readdirSync(RULES).sort();
const groups = ruleFiles.flatMap((name) => parse(read(path.join(RULES, name))).groups);
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const names = alerts.map(({ alert }) => alert);
const pages = fs.readdirSync(PAGES).sort();

/** Converts `AppDown` to `app-down`. @param {string} name */
const kebab = (name) => name.replace(/(?<!^)([A-Z])/g, '-$1').toLowerCase();

const describeWithPromtool = process.env.PROMETHEUS_SKIP ? describe.skip : describe;

describeWithPromtool('the rules of Prometheus', () => {
  let promtool;
  beforeAll(async () => {
    ({ promtool } = await findPrometheus());
  });

  it('are valid, like the configuration that lists their files', async () => {
    await run(promtool, ['check', 'config', PROMETHEUS_CONFIG]);
    await run(promtool, ['check', 'rules', ...ruleFiles.map((name) => path.join(RULES, name))]);
  });

  for (const name of fs.readdirSync(RULE_TESTS).sort()) {
    it(`fire and stay silent as tests/${name} expects`, async () => {
      await run(promtool, ['test', 'rules', path.join(RULE_TESTS, name)]);
    });
  }

  it('each fire in a test, and each file has a test of a healthy platform in which none fires', () => {
    expect(fs.readdirSync(RULE_TESTS).sort()).toEqual(ruleFiles);
    for (const name of ruleFiles) {
      const ofFile = parse(read(path.join(RULES, name))).groups.flatMap((group) => group.rules);
      const tests = parse(read(path.join(RULE_TESTS, name))).tests;
      const counts = tests.flatMap(({ promql_expr_test = [] }) => promql_expr_test);
      const expected = counts.filter(({ expr }) => expr === COLLECTED).map(({ exp_samples }) => exp_samples ?? []);
      const fired = new Set(expected.flat().map(({ labels }) => /alertname="(\w+)"/.exec(labels)?.[1]));
      for (const { alert } of ofFile)
        if (alert)
          expect([`${alert} fires in no test of ${name}`, Boolean(fired.has(alert))]).toEqual([
            `${alert} fires in no test of ${name}`,
            true,
          ]);
      expect([
        `${name} has no test of a healthy platform`,
        Boolean(
          tests.some(({ promql_expr_test = [] }) =>
            promql_expr_test.every(({ exp_samples }) => exp_samples.length === 0),
          ),
        ),
      ]).toEqual([`${name} has no test of a healthy platform`, true]);
    }
  });

  it('have pages whose queries are valid', async () => {
    const queries = pages.flatMap((name) =>
      [...read(path.join(PAGES, name)).matchAll(/```promql\n([^`]+)```/g)].map(([, expr]) => expr.trim()),
    );
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pages-'));
    const file = path.join(folder, 'queries.yml');
    const records = queries.map((expr, index) => ({ record: `page:query_${index}`, expr }));
    fs.writeFileSync(file, stringify({ groups: [{ name: 'pages', rules: records }] }));
    try {
      await run(promtool, ['check', 'rules', file]);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});

describe('the alert rules', () => {
  it('each have a unique name, a severity, a wait, a summary, a description and a page', () => {
    expect(new Set(names).size).toBe(names.length);
    for (const { alert, labels, annotations, for: wait } of alerts) {
      expect(labels.severity).toMatch(/^(critical|warning)$/);
      expect(wait).toMatch(/^\d+m$/);
      expect([alert, Boolean(annotations.summary && annotations.description)]).toEqual([alert, true]);
      expect(annotations.runbook_url).toBe(`docs/operations/${kebab(alert)}.md`);
    }
  });

  it('each have a page with the required sections, and there is no other page', () => {
    expect(pages).toEqual(names.map((name) => `${kebab(name)}.md`).sort());
    for (const name of names) {
      const text = read(path.join(PAGES, `${kebab(name)}.md`));
      expect([name, Boolean(text.startsWith(`# ${name}\n\n`))]).toEqual([name, true]);
      const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
      expect([name, sections]).toEqual([name, ['Who is affected', 'How to check', 'What to do']]);
    }
  });

  it('are all in the index of docs/operations.md', () => {
    const index = read(inRoot('docs/operations.md'));
    for (const { alert, labels } of alerts)
      expect(index).toMatch(
        new RegExp(`\\| \\[${alert}\\]\\(operations/${kebab(alert)}\\.md\\) +\\| ${labels.severity} +\\|`),
      );
  });

  it('have pages whose commands are all in docs/on-call.md (another test runs the commands of that page)', () => {
    const known = read(inRoot('docs/on-call.md'));
    const commands = new Set();
    for (const name of pages)
      for (const [command] of read(path.join(PAGES, name)).matchAll(/npm run [a-z-]+ -- [a-z-]+/g))
        commands.add(command);
    expect(commands.size).toBeGreaterThan(5);
    for (const command of commands) expect(known).toContain(command);
  });

  it('have pages without dead links', () => {
    const anchor = (title) =>
      title
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-');
    for (const name of pages)
      for (const [, target] of read(path.join(PAGES, name)).matchAll(/\]\(([^)]+)\)/g)) {
        const [file, hash] = target.split('#');
        const text = read(path.join(PAGES, file));
        const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => anchor(title));
        if (hash) expect(anchors).toContain(hash);
      }
  });
});

describe('the files of observability/', () => {
  it('scrape every app at the right port', () => {
    const { scrape_configs: jobs } = parse(read(PROMETHEUS_CONFIG));
    const targets = jobs.map(({ job_name, static_configs }) => [job_name, static_configs[0].targets]);
    expect(Object.fromEntries(targets)).toEqual(
      Object.fromEntries(APPS.map(({ name, port }) => [name, [`${name}:${port}`]])),
    );
  });

  it('name every app in AppDown, and every app with events in OutboxUnattended', () => {
    const { expr } = alerts.find(({ alert }) => alert === 'AppDown');
    const listed = [...expr.matchAll(/absent\(up\{job="([\w-]+)"\}\)/g)].map(([, job]) => job);
    expect(listed.sort()).toEqual(APPS.map(({ name }) => name).sort());
    expect(/job=~"([^"]+)"/.exec(expr)?.[1].split('|').sort()).toEqual(listed);
    const relay = alerts.find(({ alert }) => alert === 'OutboxUnattended').expr;
    const withEvents = APPS.map(({ name }) => name).filter(
      (name) => readJson(inRoot('apps', name, 'package.json')).dependencies['@tandem/messaging'],
    );
    expect(/job=~"([^"]+)"/.exec(relay)?.[1].split('|').sort()).toEqual(withEvents.sort());
  });

  it('match the output of npm run observability -- write', async () => {
    // Runs in a separate process, because Prettier imports its parts dynamically, which Jest does not support.
    const program = `import('./tools/observability/files.mjs').then(async ({ madeFiles }) => console.log(JSON.stringify(await madeFiles())))`;
    const { stdout } = await run(process.execPath, ['-e', program], { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
    for (const { file, text } of JSON.parse(stdout))
      expect([`${file}: run npm run observability -- write`, read(file)]).toEqual([
        `${file}: run npm run observability -- write`,
        text,
      ]);
  });

  it('include dashboards with unique ids, a data source variable, and panels in different places', () => {
    const uids = new Set();
    for (const { uid, title, schemaVersion, templating, panels } of readDashboards()) {
      expect([uid, Boolean(!uids.has(uid) && uids.add(uid))]).toEqual([uid, true]);
      expect(schemaVersion).toBe(39);
      expect(templating.list[0]).toEqual({
        type: 'datasource',
        name: 'datasource',
        label: 'Prometheus',
        query: 'prometheus',
        refresh: 1,
      });
      expect([title, new Set(panels.map(({ id }) => id)).size]).toEqual([title, panels.length]);
      const places = new Set(panels.map(({ gridPos: { x, y } }) => `${x}/${y}`));
      expect([title, places.size]).toEqual([title, panels.length]);
      for (const panel of panels) {
        expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(24);
        expect(panel.targets.length).toBeGreaterThan(0);
        for (const { datasource, refId } of [panel, ...panel.targets].slice(1))
          expect(refId && datasource.uid === '${datasource}').toBeTruthy();
      }
    }
  });
});
