import { APPS } from '../../apps/apps.js';
import { insertAfterLast } from './files.mjs';

const OVERLAYS_WITH_VERSIONS = ['staging', 'production'];
const BASE_VERSION = '0.1.0';
/** The connections to Postgres that are added for a new app: 13 for each of 11 processes (10 replicas, and one more during a rollout). */
const CONNECTIONS = 143;

/**
 * Writes the files that an app needs in containers and on Kubernetes: its two services in docker-compose.yml, its manifests, its
 * entries in components and in every overlay, its row in docs/kubernetes.md, and its entries in the configuration and the rules of
 * Prometheus. `npm run k8s` and `npm run observability -- write` generate the other files from these.
 *
 * @param {import('./files.mjs').Changes} changes
 * @param {{ app: string, role: string, port: number, isPublic: boolean, events: boolean }} wanted isPublic: whether the edge forwards requests to the app
 */
export async function addDeployment(changes, { app, role, port, isPublic, events }) {
  const variants = [events ? 'events' : 'no events', isPublic ? 'public' : 'internal'];
  await changes.copy('deployment', `k8s/base/${app}`, { app, role, port }, ...variants);
  const secret = `# For development only: everybody can read this file. The values must be those of docker-compose.yml, which npm run stack:info uses.
DATABASE_ROLE_PASSWORD=development-only
`;
  await changes.create(`k8s/overlays/local/secrets/${app}.env`, secret);
  await addToKustomizations(changes, app);
  await changes.edit('docker-compose.yml', (text) => withServices(text, { app, role, port }));
  await addToPrometheus(changes, { app, port, events });
}

async function addToKustomizations(changes, app) {
  const last = APPS.at(-1)?.name;
  await changes.edit('k8s/base/kustomization.yaml', (text) =>
    insertAfterLast(text, new RegExp(`^  - ${last}$`), `  - ${app}`),
  );
  await changes.edit(
    'k8s/components/migration-names/kustomization.yaml',
    (text) => text.trimEnd() + nameOfMigration(app),
  );
  await changes.edit('k8s/components/external-secrets/external-secrets.yaml', (text) =>
    insertBefore(
      text,
      '---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata:\n  name: migration\n',
      externalSecret(app),
    ),
  );
  for (const overlay of OVERLAYS_WITH_VERSIONS) {
    await changes.edit(`k8s/overlays/${overlay}/versions/kustomization.yaml`, (text) => withImage(text, app));
  }
  await changes.edit('k8s/overlays/local/kustomization.yaml', (text) => {
    const counted = insertAfterLast(text, /^ {2}- \{ name: [a-z-]+, count: 1 \}$/, `  - { name: ${app}, count: 1 }`);
    const secrets = insertAfterLast(
      counted,
      new RegExp(`^  - \\{ name: ${last}, envs: `),
      `  - { name: ${app}, envs: [secrets/${app}.env] }`,
    );
    // Allows the app to reach the sandbox, which issues the tokens of its callers.
    return replaced(secrets, /(kind: NetworkPolicy,\s+name: [a-z|-]+)/, `$1|${app}`);
  });
  const raised = (_match, before, connections, after) => before + (Number(connections) + CONNECTIONS) + after;
  await changes.edit('k8s/components/cloudnative-pg/cluster.yaml', (text) =>
    replaced(text, /(max_connections: ')(\d+)(')/, raised),
  );
  await changes.edit('docs/kubernetes.md', (text) =>
    insertAfterLast(
      text,
      /^\| `discovery` +\| `DATABASE_ROLE_PASSWORD`/,
      `| \`${app}\` | \`DATABASE_ROLE_PASSWORD\` |`,
    ),
  );
}

const nameOfMigration = (app) => `
  - source:
      {
        kind: Deployment,
        name: ${app},
        fieldPath: 'spec.template.spec.containers.[name=app].image',
        options: { delimiter: ':', index: 1 },
      }
    targets:
      - select: { kind: Job, labelSelector: app.kubernetes.io/name=${app} }
        fieldPaths: [metadata.name]
        options: { delimiter: -migrate-, index: 1 }
`;

const externalSecret = (app) => `---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: ${app}
  labels: { app.kubernetes.io/name: ${app} }
spec:
  refreshInterval: 1h
  secretStoreRef: { kind: ClusterSecretStore, name: tandem }
  dataFrom: [{ extract: { key: tandem/${app} } }]
`;

/** Adds the image of an app to an overlay. kustomize keeps the images in the order of their names. */
function withImage(text, app) {
  const lines = text.trimEnd().split('\n');
  const isLater = (line) => line.startsWith('- name: tandem/') && line > `- name: tandem/${app}`;
  const at = lines.findIndex(isLater);
  const image = [`- name: tandem/${app}`, `  newName: registry.example.com/tandem/${app}`, `  newTag: ${BASE_VERSION}`];
  return `${lines.toSpliced(at < 0 ? lines.length : at, 0, ...image).join('\n')}\n`;
}

/** Adds the service and its migration after those of the last app, and makes the edge wait until the service is healthy. */
function withServices(text, { app, role, port }) {
  const last = APPS.at(-1)?.name;
  const variable = `${app.toUpperCase().replaceAll('-', '_')}_PORT`;
  const services = `
  migrate-${app}:
    <<: *migration
    image: tandem/${app}:\${TANDEM_VERSION:-${BASE_VERSION}}
    environment: *migration-environment
    # The app's service builds the image.
    pull_policy: never

  ${app}:
    <<: *app
    image: tandem/${app}:\${TANDEM_VERSION:-${BASE_VERSION}}
    build: { args: { APP: ${app}, VERSION: '\${TANDEM_VERSION:-${BASE_VERSION}}' } }
    ports: ['127.0.0.1:\${${variable}:-${port}}:${port}']
    environment:
      <<: [*environment, *jwt]
      PORT: '${port}'
      DATABASE_URL: postgres://${role}:\${DATABASE_ROLE_PASSWORD:-development-only}@postgres:5432/tandem
    depends_on:
      migrate-${app}: { condition: service_completed_successfully }
`;
  const migrated = new RegExp(`^      migrate-${last}: \\{ condition: service_completed_successfully \\}$`);
  const healthy = new RegExp(`^      ${last}: \\{ condition: service_healthy \\}$`);
  const added = insertAfterLast(text, migrated, services.trimEnd());
  return insertAfterLast(added, healthy, `      ${app}: { condition: service_healthy }`);
}

async function addToPrometheus(changes, { app, port, events }) {
  const scrape = `  - job_name: ${app}\n    static_configs: [{ targets: ['${app}:${port}'] }]`;
  await changes.edit('observability/prometheus/prometheus.yml', (text) => `${text.trimEnd()}\n${scrape}\n`);
  await changes.edit('observability/prometheus/rules/apps.yml', (text) => {
    const watched = replaced(text, /(sum by \(job\) \(up\{job=~"[a-z|-]+)("\}\) == 0)/, `$1|${app}$2`);
    return insertAfterLast(watched, /^ +or absent\(up\{job="[a-z-]+"\}\)$/, `          or absent(up{job="${app}"})`);
  });
  await changes.edit('observability/prometheus/tests/apps.yml', (text) => withHealthySeries(text, app));
  if (!events) return;
  await changes.edit('observability/prometheus/rules/events.yml', (text) =>
    replaced(
      text,
      /(max by \(job\) \(up\{job=~"[a-z|-]+)("\}\) == 1\n +unless on \(job\) events_outbox_pending)/,
      `$1|${app}$2`,
    ),
  );
}

/**
 * Adds a running process of the app to the tests of alert rules, because `AppDown` would otherwise fire in these tests. The new series comes
 * after the series of each running process of discovery.
 */
const withHealthySeries = (text, app) =>
  text.replaceAll(
    /^( +- \{ series: 'up\{job="discovery",instance="discovery:1"\}', values: '1x120' \})$/gm,
    (line) => `${line}\n${line.replaceAll('discovery', app)}`,
  );

function insertBefore(text, anchor, added) {
  if (!text.includes(anchor)) throw new Error(`there is no "${anchor.trim()}"`);
  return text.replace(anchor, () => added + anchor);
}

function replaced(text, pattern, replacement) {
  if (!pattern.test(text)) throw new Error(`no text matches ${pattern}`);
  return text.replace(pattern, replacement);
}
