import { FieldCipher } from '@tandem/database';
import { randomBytes } from 'node:crypto';
import { BaseConfig } from './base-config';
import { WithDatabase } from './config-parts';
import { Base64Key, Base64Keys, FieldEncryptionKeys, SecretList } from './keys';
import { ConfigError, type ConfigClass, loadConfig } from './load-config';
import { WithJwtIssuers } from './with-jwt-issuers';

const problemsOf = (env: NodeJS.ProcessEnv, Config: ConfigClass<BaseConfig>): readonly string[] => {
  try {
    loadConfig(Config, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

class KeyConfig extends BaseConfig {
  @Base64Key()
  KEY!: Buffer;

  @Base64Keys()
  KEYS!: Buffer[];

  @SecretList()
  SECRETS!: string[];

  @FieldEncryptionKeys()
  FIELD_KEYS!: FieldCipher;
}

class StoreConfig extends WithJwtIssuers(WithDatabase(BaseConfig), { service: 'required' }) {}

describe.each(['staging', 'production'])('NODE_ENV=%s', (NODE_ENV) => {
  const own = randomBytes(32).toString('base64');
  const keys = { KEY: own, KEYS: own, SECRETS: 's'.repeat(32), FIELD_KEYS: `k1:${own}` };
  const published = Buffer.from('development-only-key-cursors----').toString('base64');
  const zeros = Buffer.alloc(32).toString('base64');

  it.each([
    ['KEY', published, /publishes for development/],
    ['KEYS', `${own},${published}`, /publishes for development/],
    ['SECRETS', 'development-only-internal-token-secret', /publishes for development/],
    ['FIELD_KEYS', `k2:${own},k1:${published}`, /publishes for development/],
    ['KEY', zeros, /a key of zeros/],
    ['KEYS', `${own}, ${zeros}`, /a key of zeros/],
    ['SECRETS', '0'.repeat(32), /a key of zeros/],
    ['FIELD_KEYS', `zero:${zeros}`, /a key of zeros/],
  ])('refuses %s=%s with an error that names the variable but not the value', (name, value, reason) => {
    const problems = problemsOf({ ...keys, [name]: value, NODE_ENV }, KeyConfig);
    expect(problems).toEqual([expect.stringMatching(reason)]);
    expect(problems[0]).toMatch(new RegExp(`^${name}: .*, and NODE_ENV is ${NODE_ENV}$`));
    expect(problems[0]).not.toContain(value);
    expect(problemsOf({ ...keys, [name]: value, NODE_ENV: 'development' }, KeyConfig)).toEqual([]);
    expect(problemsOf({ ...keys, NODE_ENV }, KeyConfig)).toEqual([]);
  });

  it('refuses a published database password, and plain HTTP to an issuer', () => {
    const issuer = { JWT_SERVICE_ISSUER: 'https://one', JWT_SERVICE_JWKS_URL: 'http://one/jwks.json' };
    const development = { ...issuer, DATABASE_URL: 'postgres://a:development-only@db/x' };
    expect(problemsOf({ ...development, NODE_ENV }, StoreConfig)).toEqual([
      expect.stringMatching(/^DATABASE_URL: holds a secret that docker-compose\.yml, .* publishes for development/),
      `JWT_SERVICE_JWKS_URL: plain HTTP is for development only, and NODE_ENV is ${NODE_ENV}`,
    ]);
    expect(problemsOf({ ...development, NODE_ENV: 'development' }, StoreConfig)).toEqual([]);
    const deployed = { DATABASE_URL: 'postgres://a:own@db/x', JWT_SERVICE_JWKS_URL: 'https://one/jwks.json' };
    expect(problemsOf({ ...issuer, ...deployed, NODE_ENV }, StoreConfig)).toEqual([]);
  });
});
