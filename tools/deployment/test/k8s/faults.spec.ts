import { environmentProblems, secretsOf } from './environment-check';
import { platformProblems } from './platform-check';
import { referenceProblems } from './references-check';
import { describeRendered, type KubeObject, render } from './render';
import { schemaProblems } from './schema-check';
import { securityProblems } from './security-check';
import { siteProblems } from './site-check';
import { find } from './workloads';

type Plant = (objects: KubeObject[]) => void;

const APP = 'partner-gateway';
const deployment = (objects: KubeObject[]): KubeObject => find(objects, 'Deployment', APP);
const pod = (objects: KubeObject[]): KubeObject => deployment(objects).spec.template.spec;
const container = (objects: KubeObject[]): KubeObject => pod(objects).containers[0];
const service = (objects: KubeObject[]): KubeObject => find(objects, 'Service', APP);
const config = (objects: KubeObject[]): KubeObject =>
  objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith(APP));
const job = (objects: KubeObject[]): KubeObject =>
  objects.find(({ kind, metadata }) => kind === 'Job' && metadata.name.startsWith(APP));
const envOf = (workload: KubeObject, variable: string): KubeObject =>
  workload.spec.template.spec.containers[0].env.find(({ name }: KubeObject) => name === variable);
const site = (objects: KubeObject[]): KubeObject => find(objects, 'Deployment', 'console');
const siteConfig = (objects: KubeObject[]): KubeObject =>
  objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('console'));
const remove = (objects: KubeObject[], one: KubeObject): void => void objects.splice(objects.indexOf(one), 1);

/** For each fault: its name, a function that adds it, and a pattern for the message of the check that must find it. */
const FAULTS: readonly (readonly [string, Plant, RegExp])[] = [
  ['a field that does not exist', (o) => (container(o).imagePullPolcy = 'Always'), /imagePullPolcy is unknown/],
  ['a text instead of a number', (o) => (deployment(o).spec.revisionHistoryLimit = 'five'), /must be integer/],
  ['a missing required field', (o) => delete deployment(o).spec.selector, /selector/],
  [
    'a kind that does not exist',
    (o) => o.push({ apiVersion: 'v1', kind: 'Pods', metadata: { name: 'x' } }),
    /no schema/,
  ],
  ['a missing Secret', (o) => remove(o, find(o, 'Secret', APP)), /no Secret partner-gateway/],
  ['a missing ConfigMap', (o) => (container(o).envFrom[0].configMapRef.name = 'x'), /no ConfigMap x/],
  ['a missing ServiceAccount', (o) => (pod(o).serviceAccountName = 'x'), /no ServiceAccount x/],
  ['a missing volume', (o) => (container(o).volumeMounts[0].name = 'x'), /no volume x/],
  ['a probe of a port that does not exist', (o) => (container(o).readinessProbe.httpGet.port = 'web'), /the port web/],
  ['a Service without pods', (o) => (service(o).spec.selector = { app: 'x' }), /selects 0 workloads/],
  [
    'a Service that sends requests to migrations',
    (o) => (service(o).spec.selector = { 'app.kubernetes.io/name': APP }),
    /selects 2 workloads/,
  ],
  [
    'a disruption budget without pods',
    (o) => (find(o, 'PodDisruptionBudget', APP).spec.selector.matchLabels = { a: 'b' }),
    /no pod/,
  ],
  [
    'a port that is not that of apps.js',
    (o) => (container(o).ports[0].containerPort = 1),
    /port of its container is 1/,
  ],
  ['another PORT', (o) => (config(o).data.PORT = '4000'), /listens on 4000/],
  ['another port of the Service', (o) => (service(o).spec.ports[0].port = 80), /is reached at 80/],
  ['an image of another version', (o) => (container(o).image = `tandem/${APP}:0.0.9`), /images of several versions/],
  ['a migration of another version', (o) => (job(o).metadata.name = `${APP}-migrate-0.0.9`), /is named/],
  ['a migration with other brokers', (o) => void (envOf(job(o), 'KAFKA_BROKERS').value = 'x:1'), /has other brokers/],
  ['a migration that serves', (o) => delete job(o).spec.template.spec.containers[0].args, /does not migrate/],
  ['no migration', (o) => remove(o, job(o)), /no migration/],
  ['a stop that is cut short', (o) => (pod(o).terminationGracePeriodSeconds = 20), /killed before its stop/],
  [
    'too little time for callers to move to another pod',
    (o) => (envOf(deployment(o), 'SHUTDOWN_DELAY_MS').value = '4000'),
    /before its callers know/,
  ],
  ['a slow readiness probe', (o) => (container(o).readinessProbe.periodSeconds = 5), /asked every second/],
  ['no network policy', (o) => remove(o, find(o, 'NetworkPolicy', APP)), /no NetworkPolicy/],
  ['a missing variable', (o) => delete config(o).data.CHECKOUT_BASE_URL, /CHECKOUT_BASE_URL is not set/],
  ['an invalid variable', (o) => (config(o).data.VOUCHER_SERVICE_URL = 'voucher-service'), /must be an http/],
  ['a variable that is set twice', (o) => void container(o).env.push(container(o).env[0]), /is set twice/],
  ['an unknown address', (o) => (config(o).data.VOUCHER_SERVICE_URL = 'http://voucher:4104'), /there is no Service/],
  ['a missing secret', (o) => delete find(o, 'Secret', APP).data.EMAIL_HASH_KEY, /EMAIL_HASH_KEY is not set/],
  ['development settings in production', (o) => (config(o).data.NODE_ENV = 'production'), /for development only/],
  ['a pod that runs as root', (o) => (pod(o).securityContext.runAsUser = 0), /may run as root/],
  ['a writable root file system', (o) => (container(o).securityContext.readOnlyRootFilesystem = false), /may write/],
  ['a token of the API server', (o) => delete pod(o).automountServiceAccountToken, /holds a token/],
  ['kept capabilities', (o) => delete container(o).securityContext.capabilities, /keeps capabilities/],
  ['an image without a version', (o) => (container(o).image = `tandem/${APP}`), /is not pinned/],
  ['no console', (o) => remove(o, site(o)), /no Deployment console/],
  [
    'another image of the console',
    (o) => (site(o).spec.template.spec.containers[0].image = 'a/b:1'),
    /not tandem\/console/,
  ],
  ['another port of the console', (o) => (find(o, 'Service', 'console').spec.ports[0].port = 80), /Service is 80/],
  ['an invalid issuer of the console', (o) => (siteConfig(o).data.CONSOLE_OIDC_ISSUER = 'issuer'), /must be an http/],
  [
    'another issuer than that of the APIs',
    (o) => (config(o).data.JWT_SERVICE_ISSUER = 'http://x'),
    /refuses its tokens/,
  ],
  [
    'a console URL that is not the path of the console',
    (o) => (config(o).data.CONSOLE_URL = 'http://127.0.0.1/portal'),
    /CONSOLE_URL/,
  ],
  [
    'no network policy of the console',
    (o) => remove(o, find(o, 'NetworkPolicy', 'console')),
    /console: has no NetworkPolicy/,
  ],
  [
    'a console that stops at once',
    (o) => delete site(o).spec.template.spec.containers[0].lifecycle,
    /before its callers/,
  ],
  ['no memory limit', (o) => delete container(o).resources.limits, /no limit of memory/],
];

async function problemsOf(objects: readonly KubeObject[]): Promise<string[]> {
  const secrets = secretsOf(objects);
  return [
    ...schemaProblems(objects),
    ...referenceProblems(objects),
    ...(await environmentProblems(objects, secrets)),
    ...platformProblems(objects, secrets),
    ...securityProblems(objects),
    ...(await siteProblems(objects)),
  ];
}

describeRendered('the checks of manifests', () => {
  it.each(FAULTS)('find %s', async (_, plant, problem) => {
    const objects = render('k8s/overlays/local');
    plant(objects);
    expect(await problemsOf(objects)).toContainEqual(expect.stringMatching(problem));
  });
});
