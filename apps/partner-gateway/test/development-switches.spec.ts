import { TestServiceKeys } from '@tandem/testing';
import { type ConfigError, loadConfig } from '@tandem/service-defaults';
import { PartnerGatewayConfig } from '../src/config';

const key = Buffer.alloc(32, 7).toString('base64');
const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://partner:x@127.0.0.1:5432/tandem',
  CHECKOUT_BASE_URL: 'https://store.example.com/checkout',
  CONSOLE_URL: 'https://partners.example.com/console',
  CHECKOUT_SIGNING_KEYS: `k1:${key}`,
  CURSOR_SIGNING_KEYS: key,
  FIELD_ENCRYPTION_KEYS: `k1:${key}`,
  EMAIL_HASH_KEY: key,
  POSTBACK_DISPATCHER_URL: 'http://postback-dispatcher:3000',
  VOUCHER_SERVICE_URL: 'http://voucher-service:3000',
  SERVICE_PRIVATE_KEY: new TestServiceKeys('partner-gateway').privateKeyOf('partner-gateway'),
  JWT_SERVICE_ISSUER: 'https://issuer.example.com',
  JWT_SERVICE_JWKS_URL: 'https://issuer.example.com/jwks.json',
};
const problemsOf = (overrides: NodeJS.ProcessEnv): readonly string[] => {
  try {
    loadConfig(PartnerGatewayConfig, { ...PRODUCTION, ...overrides });
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
};

describe('NODE_ENV=production', () => {
  it.each([
    ['CHECKOUT_BASE_URL', 'http://store.example.com/checkout', 'plain HTTP is'],
    ['CONSOLE_URL', 'http://partners.example.com/console', 'plain HTTP is'],
    ['JWT_SERVICE_JWKS_URL', 'http://issuer.example.com/jwks.json', 'plain HTTP is'],
    ['RATE_LIMIT_WINDOW_SECONDS', '1', 'is'],
  ])('refuses %s=%s with an error that names the variable', (name, value, what) => {
    const problem = `${name}: ${what} for development only, and NODE_ENV is production`;
    expect(problemsOf({ [name]: value })).toEqual([problem]);
    expect(problemsOf({ NODE_ENV: 'development', [name]: value })).toEqual([]);
  });

  it('accepts a configuration without development settings', () => {
    expect(problemsOf({})).toEqual([]);
  });
});

describe('variables with keys', () => {
  const short = Buffer.alloc(31, 7).toString('base64');

  it.each([
    ['FIELD_ENCRYPTION_KEYS', `k1:${short}`],
    ['FIELD_ENCRYPTION_KEYS', `k1:${key},k1:${key}`],
    ['CHECKOUT_SIGNING_KEYS', `k1:${short}`],
  ])('are refused if the value of %s is invalid, and the error names this variable', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([
      expect.stringMatching(`^${name}: must be a comma-separated list of <id>:<base64`),
    ]);
  });
});
