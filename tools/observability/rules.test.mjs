import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { APPS } from '../../apps/apps.js';
import { inRoot, readJson } from '../start/paths.mjs';
import { madeFiles, PROMETHEUS_CONFIG, RULE_TESTS, RULES } from './files.mjs';
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

/** `AppDown` → `app-down`. @param {string} name */
const kebab = (name) => name.replace(/(?<!^)([A-Z])/g, '-$1').toLowerCase();

describe('the rules of Prometheus', { skip: process.env.PROMETHEUS_SKIP ? 'no promtool' : false }, () => {
  let promtool;
  before(async () => {
    ({ promtool } = await findPrometheus());
  });

  it('are valid, as the configuration is that names them', async () => {
    await run(promtool, ['check', 'config', PROMETHEUS_CONFIG]);
    await run(promtool, ['check', 'rules', ...ruleFiles.map((name) => path.join(RULES, name))]);
  });

  for (const name of fs.readdirSync(RULE_TESTS).sort()) {
    it(`fire and stay silent as tests/${name} says`, async () => {
      await run(promtool, ['test', 'rules', path.join(RULE_TESTS, name)]);
    });
  }

  it('fire in a test each, and stay silent in a healthy one', () => {
    assert.deepEqual(fs.readdirSync(RULE_TESTS).sort(), ruleFiles);
    for (const name of ruleFiles) {
      const ofFile = parse(read(path.join(RULES, name))).groups.flatMap((group) => group.rules);
      const tests = parse(read(path.join(RULE_TESTS, name))).tests;
      const counts = tests.flatMap(({ promql_expr_test = [] }) => promql_expr_test);
      const expected = counts.filter(({ expr }) => expr === COLLECTED).map(({ exp_samples }) => exp_samples ?? []);
      const fired = new Set(expected.flat().map(({ labels }) => /alertname="(\w+)"/.exec(labels)?.[1]));
      for (const { alert } of ofFile) if (alert) assert.ok(fired.has(alert), `${alert} fires in no test of ${name}`);
      assert.ok(
        tests.some(({ promql_expr_test = [] }) =>
          promql_expr_test.every(({ exp_samples }) => exp_samples.length === 0),
        ),
        `${name} has no test in which all is well`,
      );
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

describe('alerts', () => {
  it('have a name, a severity, a wait, a summary, a description and a page each', () => {
    assert.equal(new Set(names).size, names.length);
    for (const { alert, labels, annotations, for: wait } of alerts) {
      assert.match(labels.severity, /^(critical|warning)$/, alert);
      assert.match(wait, /^\d+m$/, alert);
      assert.ok(annotations.summary && annotations.description, alert);
      assert.equal(annotations.runbook_url, `docs/operations/${kebab(alert)}.md`);
    }
  });

  it('have pages that say what they mean, who is affected, how to look and what to do, and there is no other page', () => {
    assert.deepEqual(pages, names.map((name) => `${kebab(name)}.md`).sort());
    for (const name of names) {
      const text = read(path.join(PAGES, `${kebab(name)}.md`));
      assert.ok(text.startsWith(`# ${name}\n\n`), name);
      const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
      assert.deepEqual(sections, ['Who is affected', 'How to look', 'What to do'], name);
    }
  });

  it('are all in the index of docs/operations.md', () => {
    const index = read(inRoot('docs/operations.md'));
    for (const { alert, labels } of alerts)
      assert.match(
        index,
        new RegExp(`\\| \\[${alert}\\]\\(operations/${kebab(alert)}\\.md\\) +\\| ${labels.severity} +\\|`),
      );
  });

  it('have pages whose commands docs/on-call.md has too, where a test runs them', () => {
    const known = read(inRoot('docs/on-call.md'));
    const commands = new Set();
    for (const name of pages)
      for (const [command] of read(path.join(PAGES, name)).matchAll(/npm run [a-z-]+ -- [a-z-]+/g))
        commands.add(command);
    assert.ok(commands.size > 5);
    for (const command of commands) assert.ok(known.includes(command), command);
  });

  it('have pages whose links lead somewhere', () => {
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
        if (hash) assert.ok(anchors.includes(hash), `${name}: ${target}`);
      }
  });
});

describe('the files of observability/', () => {
  it('scrape every app at its port', () => {
    const { scrape_configs: jobs } = parse(read(PROMETHEUS_CONFIG));
    const targets = jobs.map(({ job_name, static_configs }) => [job_name, static_configs[0].targets]);
    assert.deepEqual(
      Object.fromEntries(targets),
      Object.fromEntries(APPS.map(({ name, port }) => [name, [`${name}:${port}`]])),
    );
  });

  it('name every app where an alert lists apps', () => {
    const { expr } = alerts.find(({ alert }) => alert === 'AppDown');
    const listed = [...expr.matchAll(/absent\(up\{job="([\w-]+)"\}\)/g)].map(([, job]) => job);
    assert.deepEqual(listed.sort(), APPS.map(({ name }) => name).sort());
    assert.deepEqual(/job=~"([^"]+)"/.exec(expr)?.[1].split('|').sort(), listed);
    const relay = alerts.find(({ alert }) => alert === 'OutboxUnattended').expr;
    const withEvents = APPS.map(({ name }) => name).filter(
      (name) => readJson(inRoot('apps', name, 'package.json')).dependencies['@tandem/messaging'],
    );
    assert.deepEqual(/job=~"([^"]+)"/.exec(relay)?.[1].split('|').sort(), withEvents.sort());
  });

  it('are what npm run observability -- write makes', async () => {
    for (const { file, text } of await madeFiles())
      assert.equal(read(file), text, `${file}: run npm run observability -- write`);
  });

  it('have dashboards as Grafana reads them', () => {
    const uids = new Set();
    for (const { uid, title, schemaVersion, templating, panels } of readDashboards()) {
      assert.ok(!uids.has(uid) && uids.add(uid), uid);
      assert.equal(schemaVersion, 39);
      assert.deepEqual(templating.list[0], {
        type: 'datasource',
        name: 'datasource',
        label: 'Prometheus',
        query: 'prometheus',
        refresh: 1,
      });
      assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length, title);
      const places = new Set(panels.map(({ gridPos: { x, y } }) => `${x}/${y}`));
      assert.equal(places.size, panels.length, title);
      for (const panel of panels) {
        assert.ok(panel.gridPos.x + panel.gridPos.w <= 24, panel.title);
        assert.ok(panel.targets.length > 0, panel.title);
        for (const { datasource, refId } of [panel, ...panel.targets].slice(1))
          assert.ok(refId && datasource.uid === '${datasource}');
      }
    }
  });
});
