import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import { DASHBOARDS_FOLDER, RULES } from './files.mjs';

/** The interval of rates in the queries. Scrapes are a second apart, so the interval contains enough of them. */
const RATE_INTERVAL = '1m';
const LOOK_EVERY_MS = 1_000;

/** @typedef {{ dashboard: string, panel: string, expr: string }} PanelQuery */

/** Reads the dashboards. @returns {Record<string, any>[]} the dashboards as Grafana reads them */
export const readDashboards = () =>
  fs
    .readdirSync(DASHBOARDS_FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(fs.readFileSync(path.join(DASHBOARDS_FOLDER, name), 'utf8')));

/**
 * Returns every query of every panel, with its variables filled in.
 *
 * @param {Record<string, string>} variables  for example `{ job: 'idp-api' }`
 * @returns {PanelQuery[]}
 */
export const panelQueries = (variables) =>
  readDashboards().flatMap(({ title, panels }) =>
    panels.flatMap((panel) =>
      panel.targets.map(({ expr }) => ({ dashboard: title, panel: panel.title, expr: filled(expr, variables) })),
    ),
  );

/** @param {string} expr @param {Record<string, string>} variables */
const filled = (expr, variables) =>
  expr.replace(/\$(\w+)/g, (text, name) => {
    if (name === '__rate_interval') return RATE_INTERVAL;
    if (!(name in variables)) throw new Error(`no value for ${text} in ${expr}`);
    return variables[name];
  });

/**
 * Returns a configuration with which Prometheus scrapes a stack on this machine and evaluates the rules of the repository every second.
 *
 * @param {{ apps: Record<string, { metrics: string }> }} stack  the content of stack.json
 */
export const configFor = ({ apps }) =>
  stringify({
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [path.join(RULES, '*.yml')],
    scrape_configs: Object.entries(apps).map(([name, { metrics }]) => ({
      job_name: name,
      static_configs: [{ targets: [new URL(metrics).host] }],
    })),
  });

/**
 * Sends a query to a Prometheus.
 *
 * @param {string} url  of Prometheus
 * @param {string} expr  PromQL
 * @returns {Promise<{ metric: Record<string, string>, value: [number, string] }[]>} the series of the result
 * @throws when the query is not valid
 */
export async function query(url, expr) {
  const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expr })}`);
  const { status, data, error } = /** @type {any} */ (await response.json());
  if (status !== 'success') throw new Error(`${expr}\n${error}`);
  return data.result;
}

/** Returns whether a result has a finite number. A ratio or quantile without data is NaN. */
const hasData = (series) => series.some(({ value: [, text] }) => Number.isFinite(Number(text)));

/**
 * Waits until each query has had data at least once.
 *
 * @param {string} url  of Prometheus
 * @param {readonly PanelQuery[]} queries
 * @param {AbortSignal} signal  ends the wait
 * @returns {Promise<PanelQuery[]>} the queries that had no data until the end of the wait
 */
export async function emptyPanels(url, queries, signal) {
  let empty = [...queries];
  for (; ; await delay(LOOK_EVERY_MS)) {
    const last = signal.aborted;
    const results = await Promise.all(empty.map(({ expr }) => query(url, expr)));
    empty = empty.filter((_, index) => !hasData(results[index]));
    if (empty.length === 0 || last) return empty;
  }
}
