import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type AppDefinition, ConfigError, loadConfig, MigrationConfig, secretProblem } from '@tandem/service-defaults';
import { APPS } from '../../../apps/apps';
import { readCompose } from '../src';

const ROOT = path.resolve(__dirname, '../../..');
const LOCAL_SECRETS = path.join(ROOT, 'k8s/overlays/local/secrets');
/** Matches the names of variables that contain secrets. */
const SECRET = /(PASSWORD|SECRETS?|TOKEN|KEYS?)$/;

type Variables = Readonly<Record<string, string>>;

const compose = readCompose(path.join(ROOT, 'docker-compose.yml'), {});
const composeOf = (service: string): Variables => compose.services[service]?.environment ?? {};

/** Reads the lines `NAME=value` of a file; in .env.example these lines are commented out. */
const variablesIn = (file: string): Variables =>
  Object.fromEntries(
    [...readFileSync(file, 'utf8').matchAll(/^#?([A-Z][A-Z0-9_]*)=([^\s#]+)/gm)].map(([, name, value]) => [
      name,
      value,
    ]),
  );

const isSecret = (name: string): boolean => SECRET.test(name);
const isDatabase = (name: string): boolean => name.endsWith('DATABASE_URL');

const problemsOf = (load: () => unknown): readonly string[] => {
  try {
    load();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

const definitionOf = async (name: string): Promise<AppDefinition> =>
  ((await import(path.join(ROOT, 'apps', name, 'src/app'))) as { app: AppDefinition }).app;

describe('in docker-compose.yml, the environment', () => {
  const nameOf = (problem: string): string => problem.split(':')[0] as string;
  const deployed = { NODE_ENV: 'production' };

  it.each(APPS)(
    'of $name is refused in production, with the name of each variable that has a published secret',
    async ({ name }) => {
      const { config } = await definitionOf(name);
      const environment = composeOf(name);
      const refused = problemsOf(() => loadConfig(config, { ...environment, ...deployed })).map(nameOf);
      const secrets = Object.keys(environment).filter((variable) => isSecret(variable) || isDatabase(variable));
      expect(secrets.length).toBeGreaterThan(0);
      expect(refused).toEqual(expect.arrayContaining(secrets));
      expect(problemsOf(() => loadConfig(config, environment))).toEqual([]);
    },
  );

  it.each(['staging', 'production'])(
    'of idp-api is refused in %s, because it uses plain HTTP to the vendor and the issuers',
    async (env) => {
      const { config } = await definitionOf('idp-api');
      const refused = problemsOf(() => loadConfig(config, { ...composeOf('idp-api'), NODE_ENV: env }));
      for (const name of ['VENDOR_URL', 'JWT_SERVICE_JWKS_URL', 'JWT_OPENID_JWKS_URL'])
        expect(refused).toContain(`${name}: plain HTTP is for development only, and NODE_ENV is ${env}`);
    },
  );

  it('of idp-api is refused in production because it enables the mock routes, which staging allows', async () => {
    const { config } = await definitionOf('idp-api');
    const refused = (env: string): readonly string[] =>
      problemsOf(() => loadConfig(config, { ...composeOf('idp-api'), NODE_ENV: env }));
    const problem = 'MOCK_ENABLED: is for development and staging only, and NODE_ENV is production';
    expect(refused('production')).toContain(problem);
    expect(refused('staging').map(nameOf)).not.toContain('MOCK_ENABLED');
  });

  it.each(APPS)('of the migration of $name is refused in production too', ({ name }) => {
    const environment = composeOf(`migrate-${name}`);
    const refused = problemsOf(() => loadConfig(MigrationConfig, { ...environment, ...deployed })).map(nameOf);
    expect(refused).toEqual(['MIGRATION_DATABASE_URL', 'DATABASE_ROLE_PASSWORD']);
    // Without its own NODE_ENV, the migration would use `production`, which the image sets, and refuse to start.
    expect(environment['NODE_ENV']).toBe('development');
  });
});

describe('the public keys of callers', () => {
  const callersIn = (variables: Variables): string[] =>
    (variables['SERVICE_PUBLIC_KEYS'] ?? '')
      .split(',')
      .map((entry) => entry.slice(0, entry.indexOf(':')))
      .sort();

  it.each(APPS.filter(({ callers }) => callers !== undefined))(
    'of $name are those of the apps and commands that may call it',
    ({ name, callers = {} }) => {
      const local = variablesIn(path.join(LOCAL_SECRETS, `${name}.env`));
      const expected = Object.keys(callers).sort();
      expect([callersIn(composeOf(name)), callersIn(local)]).toEqual([expected, expected]);
    },
  );
});

describe('a secret that is published for development', () => {
  const files: Readonly<Record<string, Variables>> = {
    ...Object.fromEntries(
      Object.keys(compose.services).map((service) => [`${service} of docker-compose.yml`, composeOf(service)]),
    ),
    '.env.example': variablesIn(path.join(ROOT, '.env.example')),
    ...Object.fromEntries(
      readdirSync(LOCAL_SECRETS).map((file) => [
        `k8s/overlays/local/secrets/${file}`,
        variablesIn(path.join(LOCAL_SECRETS, file)),
      ]),
    ),
  };
  const published = Object.entries(files).flatMap(([file, variables]) =>
    Object.entries(variables)
      .filter(([name, value]) => value !== '' && (isSecret(name) || isDatabase(name)))
      .flatMap(([name, value]) => value.split(',').map((secret) => [file, name, secret] as const)),
  );

  it('is listed in libs/service-defaults/src/config/published-secrets.ts', () => {
    expect(new Set(published.map(([file]) => file.split(' ').at(-1)?.split('/')[0]))).toEqual(
      new Set(['docker-compose.yml', '.env.example', 'k8s']),
    );
    expect(published.filter(([, , secret]) => !secretProblem(secret)?.includes('publishes'))).toEqual([]);
  });
});
