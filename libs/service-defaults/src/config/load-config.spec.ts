import { IsBoolean, IsInt, IsOptional, IsString, Min } from 'class-validator';
import { FieldCipher } from '@tandem/database';
import { randomBytes } from 'node:crypto';
import { BaseConfig } from './base-config';
import { WithDatabase, WithEvents } from './config-parts';
import { DevelopmentOnly } from './development-only';
import { Base64Key, Base64Keys, FieldEncryptionKeys, SecretList } from './keys';
import { ConfigError, type ConfigClass, loadConfig, variablesOf } from './load-config';
import { WithJwtIssuers } from './with-jwt-issuers';

class SampleConfig extends WithEvents(WithDatabase(BaseConfig)) {
  @IsInt()
  @Min(1)
  WAIT_MS = 5;

  @IsBoolean()
  ALLOW = false;

  @IsBoolean()
  @DevelopmentOnly((on) => on === true)
  WEAK = false;

  @IsString()
  NEEDED!: string;

  @IsOptional()
  @IsString()
  EXTRA?: string;
}

const env = { DATABASE_URL: 'postgres://a:b@localhost/x', NEEDED: 'yes' };
const problemsOf = (changed: NodeJS.ProcessEnv, Config: ConfigClass<BaseConfig> = SampleConfig): readonly string[] => {
  try {
    loadConfig(Config, { ...env, ...changed });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('loadConfig', () => {
  it('keeps the defaults of variables that are unset or empty', () => {
    expect(loadConfig(SampleConfig, { ...env, WAIT_MS: '' })).toMatchObject({ WAIT_MS: 5, ALLOW: false, PORT: 3000 });
  });

  it('converts text to numbers and booleans', () => {
    expect(loadConfig(SampleConfig, { ...env, WAIT_MS: '250', ALLOW: 'true' })).toMatchObject({
      WAIT_MS: 250,
      ALLOW: true,
    });
    expect(loadConfig(SampleConfig, { ...env, ALLOW: 'false' }).ALLOW).toBe(false);
  });

  it('names every invalid variable in one error', () => {
    const problems = problemsOf({ NEEDED: undefined, WAIT_MS: 'soon', ALLOW: 'perhaps' });
    expect(problems).toEqual([
      expect.stringContaining('WAIT_MS'),
      expect.stringContaining('ALLOW'),
      'NEEDED is not set',
    ]);
  });

  it('does not repeat the value of an invalid variable', () => {
    expect(problemsOf({ DATABASE_URL: 'mysql://root:hunter2@db/x' }).join()).not.toContain('hunter2');
  });

  it('refuses a development switch in production, and names it', () => {
    const problem = 'WEAK: is for development only, and NODE_ENV is production';
    expect(problemsOf({ NODE_ENV: 'production', WEAK: 'true' })).toEqual([problem]);
    expect(problemsOf({ NODE_ENV: 'production', WEAK: 'false' })).toEqual([]);
    expect(problemsOf({ NODE_ENV: 'development', WEAK: 'true' })).toEqual([]);
  });

  it('requires brokers when the bus is Kafka', () => {
    expect(problemsOf({ EVENT_BUS: 'kafka' })).toEqual(['KAFKA_BROKERS is not set, and EVENT_BUS is kafka']);
    expect(problemsOf({ EVENT_BUS: 'kafka', KAFKA_BROKERS: 'a:9092' })).toEqual([]);
  });

  it('requires the password of a Kafka user', () => {
    const user = { EVENT_BUS: 'kafka', KAFKA_BROKERS: 'a:9093', KAFKA_SASL_USERNAME: 'parcel' };
    expect(problemsOf(user)).toEqual(['KAFKA_SASL_PASSWORD is not set, and KAFKA_SASL_USERNAME is']);
    expect(problemsOf({ ...user, KAFKA_SASL_PASSWORD: 'secret', KAFKA_TLS_CA: 'a certificate' })).toEqual([]);
  });

  it.each(['KAFKA_SASL_PASSWORD', 'KAFKA_TLS_CA'])(
    'refuses %s without a Kafka user, because the app would neither log in nor encrypt',
    (name) => {
      const kafka = { EVENT_BUS: 'kafka', KAFKA_BROKERS: 'a:9093' };
      expect(problemsOf({ ...kafka, [name]: 'given' })).toEqual([
        'KAFKA_SASL_USERNAME is not set, and KAFKA_SASL_PASSWORD or KAFKA_TLS_CA is',
      ]);
    },
  );
});

describe('the parts of an environment', () => {
  it('are read only by config classes that have them, so BaseConfig needs neither a database nor a bus', () => {
    const config = loadConfig(BaseConfig, { EVENT_BUS: 'kafka' });
    expect(Object.keys(config)).toEqual([
      'NODE_ENV',
      'HOST',
      'PORT',
      'LOG_LEVEL',
      'SHUTDOWN_DELAY_MS',
      'SHUTDOWN_TIMEOUT_MS',
      'OTEL_TRACES_SAMPLER',
      'OTEL_TRACES_SAMPLER_ARG',
    ]);
  });

  it('refuse an invalid collector URL, an unknown sampler and an invalid share of traces, and name the OTEL_ variable', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector', OTEL_TRACES_SAMPLER: 'some', OTEL_TRACES_SAMPLER_ARG: '2' };
    expect(problemsOf(env, BaseConfig)).toEqual([
      'OTEL_EXPORTER_OTLP_ENDPOINT: must be an http or https URL without credentials',
      expect.stringMatching(/^OTEL_TRACES_SAMPLER: must be one of the following values: always_on/),
      'OTEL_TRACES_SAMPLER_ARG: must not be greater than 1',
    ]);
    const standard = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_SAMPLER_ARG: '0.25' };
    expect(loadConfig(BaseConfig, standard)).toMatchObject({ ...standard, OTEL_TRACES_SAMPLER_ARG: 0.25 });
  });

  it('refuse a shutdown delay or timeout above ten minutes, because a timer of Node that is too long fires after 1 ms', () => {
    const env = { SHUTDOWN_DELAY_MS: '600001', SHUTDOWN_TIMEOUT_MS: '3000000000' };
    expect(problemsOf(env, BaseConfig)).toEqual([
      'SHUTDOWN_DELAY_MS: must not be greater than 600000',
      'SHUTDOWN_TIMEOUT_MS: must not be greater than 600000',
    ]);
    expect(problemsOf({ SHUTDOWN_TIMEOUT_MS: '600000' }, BaseConfig)).toEqual([]);
  });

  it('report a missing database, and require no bus of an app that has only a database', () => {
    class Config extends WithDatabase(BaseConfig) {}
    expect(problemsOf({ DATABASE_URL: '' }, Config)).toEqual(['DATABASE_URL is not set']);
    expect(problemsOf({ EVENT_BUS: 'kafka' }, Config)).toEqual([]);
  });

  it('refuse the URL of a database in which Kubernetes has not inserted the password', () => {
    class Config extends WithDatabase(BaseConfig) {}
    const url = 'postgres://voucher:$(DATABASE_ROLE_PASSWORD)@postgres:5432/tandem';
    expect(problemsOf({ DATABASE_URL: url }, Config)).toEqual([
      'DATABASE_URL: names a variable in $(…) that is not set',
    ]);
    expect(problemsOf({ DATABASE_URL: 'postgres://voucher:a$b(c)@postgres:5432/tandem' }, Config)).toEqual([]);
  });

  it('refuse the URL of a database with a % that is no escape, in development and in production', () => {
    class Config extends WithDatabase(BaseConfig) {}
    for (const NODE_ENV of ['development', 'production'])
      expect(problemsOf({ DATABASE_URL: 'postgres://a:50%own@db/x', NODE_ENV }, Config)).toEqual([
        'DATABASE_URL: has a % that is not followed by two hexadecimal digits',
      ]);
  });

  it('parse KAFKA_BROKERS into a list, and refuse an empty list', () => {
    expect(loadConfig(SampleConfig, { ...env, KAFKA_BROKERS: 'a:9092, b:9092' }).KAFKA_BROKERS).toEqual([
      'a:9092',
      'b:9092',
    ]);
    expect(problemsOf({ KAFKA_BROKERS: ',' })).toEqual(['KAFKA_BROKERS: must be a comma-separated list of host:port']);
  });
});

describe('keys and secrets', () => {
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
  const [one, two] = [randomBytes(32), randomBytes(40)];
  const [first, second] = [one.toString('base64'), two.toString('base64url')];
  const short = randomBytes(31).toString('base64');
  const keys = { KEY: first, KEYS: first, SECRETS: 's'.repeat(32), FIELD_KEYS: `k1:${first}` };

  it('are parsed into buffers, texts and a cipher', () => {
    const texts = { ...keys, KEYS: `${first}, ${second}`, SECRETS: `${'a'.repeat(32)} ,${'b'.repeat(32)}` };
    const config = loadConfig(KeyConfig, texts);
    expect(config).toMatchObject({ KEY: one, KEYS: [one, two], SECRETS: ['a'.repeat(32), 'b'.repeat(32)] });
    expect(config.FIELD_KEYS.decrypt(config.FIELD_KEYS.encrypt('text', 'row'), 'row')).toBe('text');
  });

  it.each([
    ['KEY', short, 'KEY: must be base64 of 32 bytes or more'],
    ['KEY', '-'.repeat(43) + '!', 'KEY: must be base64 of 32 bytes or more'],
    ['KEY', '', 'KEY is not set'],
    ['KEYS', `${first},${short}`, 'KEYS: must be a comma-separated list of base64 of 32 bytes or more'],
    ['KEYS', ',', 'KEYS: must be a comma-separated list of base64 of 32 bytes or more'],
    ['SECRETS', 'short', 'SECRETS: must be a comma-separated list of secrets of 32 characters or more'],
    [
      'SECRETS',
      `${'a'.repeat(32)},${' '.repeat(32)}x`,
      'SECRETS: must be a comma-separated list of secrets of 32 characters or more',
    ],
    ['FIELD_KEYS', `k1:${second}`, 'FIELD_KEYS: must be a comma-separated list of <id>:<base64 of 32 bytes>'],
    ['FIELD_KEYS', undefined, 'FIELD_KEYS is not set'],
  ])('%s=%s is refused with an error that does not contain the value', (name, value, problem) => {
    expect(problemsOf({ ...keys, [name]: value }, KeyConfig)).toEqual([problem]);
  });
});

describe('issuers of JWTs', () => {
  class Required extends WithJwtIssuers(BaseConfig, { service: 'required' }) {}
  class Optional extends WithJwtIssuers(BaseConfig, { service: 'optional', openid: 'required' }) {}
  const service = { JWT_SERVICE_ISSUER: 'https://one', JWT_SERVICE_JWKS_URL: 'https://one/jwks.json' };
  const openid = { JWT_OPENID_ISSUER: 'https://two', JWT_OPENID_JWKS_URL: 'https://two/jwks.json' };

  it('are the issuers of the families that the app accepts', () => {
    const one = { family: 'service', issuer: 'https://one', jwksUrl: 'https://one/jwks.json' };
    const two = { family: 'openid', issuer: 'https://two', jwksUrl: 'https://two/jwks.json' };
    expect(loadConfig(Required, { ...service, ...openid }).jwtIssuers).toEqual([one]);
    expect(loadConfig(Optional, { ...service, ...openid }).jwtIssuers).toEqual([one, two]);
    expect(loadConfig(Optional, openid).jwtIssuers).toEqual([two]);
    expect(loadConfig(Required, service).JWT_AUDIENCE).toBe('tandem');
  });

  it('are named in the error when they are missing, and must be set together with the URL of their keys', () => {
    expect(problemsOf({}, Required)).toEqual(['JWT_SERVICE_ISSUER is not set', 'JWT_SERVICE_JWKS_URL is not set']);
    expect(problemsOf({ ...openid, JWT_SERVICE_ISSUER: 'https://one' }, Optional)).toEqual([
      'JWT_SERVICE_JWKS_URL is not set, and JWT_SERVICE_ISSUER is',
    ]);
    expect(problemsOf({ ...service, JWT_SERVICE_JWKS_URL: 'ftp://one' }, Required)).toEqual([
      'JWT_SERVICE_JWKS_URL: must be an http or https URL without credentials',
    ]);
  });

  it('are ignored by an app that does not accept their family', () => {
    expect(problemsOf({ ...service, JWT_OPENID_JWKS_URL: 'nonsense' }, Required)).toEqual([]);
    expect(variablesOf(Required)).not.toContain('JWT_OPENID_JWKS_URL');
    expect(variablesOf(Optional)).toContain('JWT_OPENID_JWKS_URL');
  });
});
