import fs from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';

const HEADER = '# Generated from observability/prometheus/rules by `npm run observability -- write`: do not edit.\n';

/**
 * Returns the Prometheus rules as a PrometheusRule resource for the Prometheus Operator.
 *
 * @param {string} folder  the folder with the rule files
 * @returns {string} YAML
 */
export function kubernetesRules(folder) {
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.yml'));
  const groups = files
    .sort()
    .flatMap((name) => /** @type {object[]} */ (parse(fs.readFileSync(path.join(folder, name), 'utf8')).groups));
  const resource = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'tandem', labels: { 'app.kubernetes.io/part-of': 'tandem' } },
    spec: { groups },
  };
  return HEADER + stringify(resource, { lineWidth: 0 });
}
