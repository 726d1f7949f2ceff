import fs from 'node:fs';
import path from 'node:path';
import { inRoot } from '../stack/paths.mjs';
import { dashboardOf } from './dashboard-model.mjs';
import { DASHBOARDS } from './dashboards.mjs';
import { kubernetesRules } from './kubernetes-rules.mjs';

export const RULES = inRoot('observability/prometheus/rules');
export const RULE_TESTS = inRoot('observability/prometheus/tests');
export const PROMETHEUS_CONFIG = inRoot('observability/prometheus/prometheus.yml');
export const DASHBOARDS_FOLDER = inRoot('observability/grafana/dashboards');

/**
 * Returns the generated files, formatted as in the repository.
 *
 * @returns {Promise<{ file: string, text: string }[]>}
 */
export async function madeFiles() {
  const { format, resolveConfig } = await import('prettier');
  const made = [
    { file: inRoot('k8s/components/monitoring/rules.yaml'), text: kubernetesRules(RULES) },
    ...DASHBOARDS.map((one) => ({
      file: path.join(DASHBOARDS_FOLDER, `${one.file}.json`),
      text: JSON.stringify(dashboardOf(one), null, 2),
    })),
  ];
  return Promise.all(
    made.map(async ({ file, text }) => ({
      file,
      text: await format(text, { ...(await resolveConfig(file)), filepath: file }),
    })),
  );
}

/** Writes the generated files. @returns {Promise<string[]>} their paths */
export async function writeFiles() {
  const files = await madeFiles();
  for (const { file, text } of files) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  return files.map(({ file }) => file);
}
