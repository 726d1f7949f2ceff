import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { APPS, SITES } from '../../../../apps/apps';
import { type AppDefinition, ConfigError, loadConfig, WaitForMigrationConfig } from '@tandem/service-defaults';
import { TestServiceKeys } from '@tandem/testing';
import { readCompose } from '../../src';
import { GENERATED_FILES } from '../../src/k8s/files';
import { appsOnKafka } from '../../src/k8s/kafka';
import { environmentOf, environmentProblems, type Environment, secretsOf } from './environment-check';
import { platformProblems } from './platform-check';
import { referenceProblems } from './references-check';
import { describeRendered, type KubeObject, render, renderChanged, ROOT } from './render';
import { schemaProblems } from './schema-check';
import { securityProblems } from './security-check';
import { siteProblems } from './site-check';
import { containersOf, find, workloadsOf } from './workloads';

const OVERLAYS = ['local', 'staging', 'production'].map((name) => `k8s/overlays/${name}`);
const BASES = APPS.map(({ name }) => ({ app: name, folder: `k8s/base/${name}` }));

const LOCAL = 'k8s/overlays/local';

const keysOfATeam = new TestServiceKeys('app');
const privateKeyOfATeam = keysOfATeam.privateKeyOf('app');
const publicKeyOfATeam = keysOfATeam.publicKeysOf().replace('app:', '');

/**
 * Replaces a secret that is published for development with a team's own secret, because the config classes accept published secrets only in the
 * overlay `local`.
 */
const ownSecret = (published: string): string =>
  published
    .replaceAll('development-only', 'a-team-has-its-o')
    .replaceAll('ZGV2ZWxvcG1lbnQtb25s', 'YS10ZWFtLWhhcy1pdHMt')
    .replaceAll(/MC4CAQAwBQYDK2VwBCIE[\w+/=]+/g, privateKeyOfATeam)
    .replaceAll(/MCowBQYDK2VwAyEA[\w+/=]+/g, publicKeyOfATeam)
    .replaceAll('postgres:postgres@', 'postgres:of-a-team@');
const ownSecrets = (published: Record<string, Environment>): Record<string, Environment> =>
  Object.fromEntries(
    Object.entries(published).map(([secret, values]) => [
      secret,
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, ownSecret(value)])),
    ]),
  );

/**
 * Returns the Secrets of the overlay `local`; for other overlays, returns samples of a team's Secrets. Adds samples of the Secrets that Kubernetes
 * operators create.
 */
const secrets = (overlay?: string): Record<string, Environment> => ({
  ...(overlay === LOCAL ? secretsOf(render(LOCAL)) : ownSecrets(secretsOf(render(LOCAL)))),
  'kafka-cluster-ca-cert': { 'ca.crt': '-----BEGIN CERTIFICATE-----' },
  ...Object.fromEntries(APPS.map(({ name }) => [`kafka-${name}`, { password: 'made-by-strimzi' }])),
});

describe('generated manifests', () => {
  it.each(GENERATED_FILES)('$path matches $from (if not, run npm run k8s)', ({ path: file, objects }) => {
    const documents = parseAllDocuments(readFileSync(path.join(ROOT, file), 'utf8'));
    expect(documents.map((document): KubeObject => document.toJSON())).toEqual(objects());
  });

  it('contain ScaledObjects, which docs/restore.md pauses before an app is stopped, and resumes afterwards', () => {
    const kinds = GENERATED_FILES.flatMap(({ objects }) => objects().map((one: KubeObject) => one.kind));
    expect(kinds).toContain('ScaledObject');
    const page = readFileSync(path.join(ROOT, 'docs/restore.md'), 'utf8');
    expect(page.split('\n').filter((line) => line.includes('autoscaling.keda.sh/'))).toEqual([
      expect.stringMatching(/^ {4}kubectl annotate scaledobject [\w-]+ autoscaling\.keda\.sh\/paused-replicas=0\b/),
      expect.stringMatching(/^ {4}kubectl annotate scaledobject [\w-]+ autoscaling\.keda\.sh\/paused-replicas-/),
    ]);
  });
});

describeRendered.each(OVERLAYS)('%s', (overlay) => {
  it('contains objects that match their schemas, without unknown fields', () => {
    expect(schemaProblems(render(overlay))).toEqual([]);
  });

  it('contains no dangling references', () => {
    expect(referenceProblems(render(overlay))).toEqual([]);
  });

  it('gives each service and migration a valid environment', async () => {
    expect(await environmentProblems(render(overlay), secrets(overlay))).toEqual([]);
  });

  it('has the ports, images and migrations of the table of apps, long enough stops, and all probes, budgets and policies', () => {
    expect(platformProblems(render(overlay), secrets())).toEqual([]);
  });

  it('runs the sites as their table states, and the console with valid settings at the URL that partner-gateway uses', async () => {
    expect(await siteProblems(render(overlay))).toEqual([]);
  });

  it('runs nothing as root or with a writable root file system', () => {
    expect(securityProblems(render(overlay))).toEqual([]);
  });

  it('is in one namespace, which accepts only restricted pods', () => {
    const objects = render(overlay);
    const namespace = objects.find(({ kind }) => kind === 'Namespace');
    expect(namespace.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const others = objects.filter((one) => one !== namespace).map(({ metadata }) => metadata.namespace);
    expect(new Set(others)).toEqual(new Set([namespace.metadata.name]));
  });
});

describeRendered.each(BASES)('$folder', ({ app, folder }) => {
  // The two Secrets of a service are created before its manifests are applied.
  const withSecrets = (): KubeObject[] => [
    ...render(folder),
    ...render('k8s/overlays/local').filter(({ kind }) => kind === 'Secret'),
  ];

  it('is a complete service on its own', async () => {
    const objects = withSecrets();
    const own = (problem: string) => !/selects no pod|where there is no Service/.test(problem);
    expect(schemaProblems(objects)).toEqual([]);
    expect(referenceProblems(objects).filter(own)).toEqual([]);
    expect((await environmentProblems(objects, secrets())).filter(own)).toEqual([]);
    expect(platformProblems(objects, secrets(), [app])).toEqual([]);
    expect(securityProblems(objects)).toEqual([]);
  });
});

describeRendered.each(SITES)('k8s/base/$name', (site) => {
  it('is complete on its own', async () => {
    const objects = render(`k8s/base/${site.name}`);
    const own = (problem: string) => !/selects no pod/.test(problem);
    expect(schemaProblems(objects)).toEqual([]);
    expect(referenceProblems(objects).filter(own)).toEqual([]);
    expect(securityProblems(objects)).toEqual([]);
    expect(await siteProblems(objects, [site])).toEqual([]);
  });
});

describeRendered('local', () => {
  it('has the same secrets as docker-compose.yml, because npm run stack:info reads them only from that file', () => {
    const { services } = readCompose(path.join(ROOT, 'docker-compose.yml'), {});
    for (const [name, { DATABASE_ROLE_PASSWORD, ...secret }] of Object.entries(
      secretsOf(render('k8s/overlays/local')),
    )) {
      const service = services[name === 'migration' ? 'migrate-discovery' : name];
      expect([name, service?.environment]).toEqual([name, expect.objectContaining(secret)]);
      const password = services[`migrate-${name}`]?.environment?.DATABASE_ROLE_PASSWORD;
      expect([name, DATABASE_ROLE_PASSWORD]).toEqual([name, password]);
    }
  });

  it('runs the images that docker-compose.yml runs', () => {
    const { services } = readCompose(path.join(ROOT, 'docker-compose.yml'), {});
    for (const name of [
      'postgres',
      'kafka',
      'edge',
      'sandbox',
      ...[...APPS, ...SITES].map((program) => program.name),
    ]) {
      const workload = workloadsOf(render('k8s/overlays/local')).find(({ metadata }) => metadata.name === name);
      expect([name, workload.spec.template.spec.containers[0].image]).toEqual([name, services[name]?.image]);
    }
  });
});

/** How many connections a process opens outside its pool: for readiness, the relay, and user locks (idp-api) or partitions (postback-dispatcher). */
const CONNECTIONS_BESIDE_THE_POOL = 3;
const DEFAULT_POOL = 10;
/** How many connections of Postgres are reserved for migrations, the Kubernetes operator and people. */
const RESERVED = 20;

describeRendered.each(['staging', 'production'])('Postgres of %s', (name) => {
  it('has enough connections for all replicas, even during a rollout', () => {
    const objects = render(`k8s/overlays/${name}`);
    const needed = APPS.map(({ name: app }) => {
      const deployment = find(objects, 'Deployment', app);
      const { spec } = objects.find((one) => one.spec?.scaleTargetRef?.name === app);
      const [container] = deployment.spec.template.spec.containers;
      const { DATABASE_POOL_MAX = DEFAULT_POOL } = environmentOf(container, objects, secrets());
      const replicas = (spec.maxReplicas ?? spec.maxReplicaCount) + deployment.spec.strategy.rollingUpdate.maxSurge;
      return replicas * (Number(DATABASE_POOL_MAX) + CONNECTIONS_BESIDE_THE_POOL);
    });
    const { parameters } = find(objects, 'Cluster', 'postgres').spec.postgresql;
    const sum = needed.reduce((one, other) => one + other, RESERVED);
    expect(Number(parameters.max_connections)).toBeGreaterThanOrEqual(sum);
  });
});

describe.each(['staging', 'production'])('versions of %s', (name) => {
  it('are in the form that kustomize edit writes, so that a release changes one line', () => {
    const text = readFileSync(path.join(ROOT, 'k8s/overlays', name, 'versions/kustomization.yaml'), 'utf8');
    const { images, ...rest } = parse(text) as { images: { name: string }[] };
    const sorted = [...images].sort((a, b) => a.name.localeCompare(b.name));
    expect(text.replace(/^#.*\n/gm, '')).toBe(stringify({ ...rest, images: sorted }, { indentSeq: false }));
  });
});

describeRendered('staging', () => {
  it('reads no secret from a store of production', () => {
    const storesOf = (overlay: string) =>
      render(overlay)
        .filter(({ kind }) => kind === 'ExternalSecret')
        .map(({ spec }): string => spec.secretStoreRef.name);
    const [own, productions] = [storesOf('k8s/overlays/staging'), storesOf('k8s/overlays/production')];
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((store) => productions.includes(store))).toEqual([]);
  });
});

describeRendered('access to Kafka', () => {
  it.each(OVERLAYS)('in %s is limited to services that publish or handle an event', (overlay) => {
    const policies = render(overlay).filter(({ kind }) => kind === 'NetworkPolicy');
    const allowed = policies.filter(({ spec }) =>
      (spec.egress ?? []).some(({ to = [] }) =>
        to.some(({ podSelector }: KubeObject) => podSelector?.matchLabels?.['tandem.dev/store'] === 'kafka'),
      ),
    );
    expect(allowed.map(({ metadata }) => metadata.name).sort()).toEqual(appsOnKafka().sort());
  });
});

/** Returns the ConfigMaps of the services, but not those of the sites, which have other settings. */
const configsOfServices = (objects: readonly KubeObject[]): KubeObject[] =>
  objects.filter(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.labels['app.kubernetes.io/component'] !== 'site',
  );

describeRendered('production', () => {
  const objects = (): KubeObject[] => render('k8s/overlays/production');

  it('has three brokers and three replicas per topic, two of which must acknowledge', () => {
    const broker = find(objects(), 'KafkaNodePool', 'broker');
    expect(broker.spec.replicas).toBe(3);
    const topics = objects().filter(({ kind }) => kind === 'KafkaTopic');
    expect(topics.length).toBeGreaterThan(0);
    for (const { spec } of topics) expect(spec).toMatchObject({ replicas: 3, config: { 'min.insync.replicas': 2 } });
  });

  it('has topics that kafkajs can decode, and whose retention depends on the clock of the brokers', () => {
    const config = { 'compression.type': 'uncompressed', 'message.timestamp.type': 'LogAppendTime' };
    const topics = objects().filter(({ kind }) => kind === 'KafkaTopic');
    expect(topics.length).toBeGreaterThan(0);
    for (const { spec } of topics) expect(spec).toMatchObject({ config });
  });

  it('sets NODE_ENV of every service to production (the overlay staging sets it to staging), and contains no Secret', () => {
    const configs = configsOfServices(objects());
    expect(configs).toHaveLength(APPS.length);
    for (const { data } of configs) expect(data.NODE_ENV).toBe('production');
    const staging = configsOfServices(render('k8s/overlays/staging'));
    for (const { data } of staging) expect(data.NODE_ENV).toBe('staging');
    expect(objects().filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  it('makes each app, and the container that waits for its migration, refuse to start while the app’s Secret does not exist', async () => {
    for (const { name } of APPS) {
      const { app } = (await import(path.join(ROOT, 'apps', name, 'src/app'))) as { app: AppDefinition };
      const { initContainers, containers } = find(objects(), 'Deployment', name).spec.template.spec;
      const withoutSecrets = ([container]: KubeObject[]) => environmentOf(container, objects(), {});
      expect(() => loadConfig(WaitForMigrationConfig, withoutSecrets(initContainers))).toThrow(ConfigError);
      expect(() => loadConfig(app.config, withoutSecrets(containers))).toThrow(ConfigError);
    }
  });

  it('records only a share of the traces', () => {
    for (const { data } of configsOfServices(objects())) {
      expect(data.OTEL_TRACES_SAMPLER).toBe('parentbased_traceidratio');
      expect(Number(data.OTEL_TRACES_SAMPLER_ARG)).toBeLessThan(1);
    }
  });

  it('takes every Secret that an envFrom names from the secret store', () => {
    const named = workloadsOf(objects())
      .flatMap(containersOf)
      .flatMap(({ envFrom = [] }) => envFrom)
      .flatMap(({ secretRef }) => secretRef?.name ?? []);
    const made = objects().filter(({ kind }) => kind === 'ExternalSecret');
    expect(made.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining([...named, 'migration']));
  });

  it('releases one service by a change of one line in versions, which also renames its migration', () => {
    const overlay = renderChanged('k8s/overlays/production', 'versions/kustomization.yaml', (text) =>
      text.replace(/(name: tandem\/discovery\b.*?newTag: ?)[\w.]+/s, (_, before: string) => `${before}99.0.0`),
    );
    expect(find(overlay, 'Job', 'discovery-migrate-99.0.0')).toBeDefined();
    expect(platformProblems(overlay, secrets())).toEqual([]);
  });

  it('runs two replicas of each site', () => {
    for (const { name } of SITES) expect(find(objects(), 'Deployment', name).spec.replicas).toBe(2);
  });

  it('has one autoscaler per service, which sets the number of its replicas', () => {
    for (const { name } of APPS) {
      expect(find(objects(), 'Deployment', name).spec.replicas).toBeUndefined();
      const scalers = objects().filter(({ spec }) => spec?.scaleTargetRef?.name === name);
      expect(scalers).toHaveLength(1);
    }
  });
});
