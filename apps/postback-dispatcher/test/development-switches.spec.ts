import { once } from 'node:events';
import path from 'node:path';
import { type ConfigError, loadConfig } from '@tandem/service-defaults';
import { forkSource } from '@tandem/testing';
import { PostbackDispatcherConfig } from '../src/config';
import { environmentOf } from './dispatcher';

const SAFE = { POSTBACK_ALLOW_LOOPBACK: 'false', POSTBACK_REQUIRE_HTTPS: 'true' };
const DATABASE_URL = 'postgres://postback:x@127.0.0.1:5432/tandem';
const problemsOf = (overrides: NodeJS.ProcessEnv): readonly string[] => {
  try {
    loadConfig(PostbackDispatcherConfig, environmentOf(DATABASE_URL, { ...SAFE, ...overrides }));
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
};

describe('NODE_ENV=production', () => {
  it.each([
    ['POSTBACK_ALLOW_LOOPBACK', 'true'],
    ['POSTBACK_REQUIRE_HTTPS', 'false'],
    ['POSTBACK_ALLOWED_NETWORKS', '172.16.0.0/12'],
  ])('refuses %s=%s with an error that names the variable', (name, value) => {
    const problem = `${name}: is for development only, and NODE_ENV is production`;
    expect(problemsOf({ NODE_ENV: 'production', [name]: value })).toEqual([problem]);
    expect(problemsOf({ NODE_ENV: 'development', [name]: value })).toEqual([]);
  });

  it('makes a process with a development setting exit with code 78 and name the setting', async () => {
    const env = environmentOf(DATABASE_URL, { NODE_ENV: 'production', POSTBACK_REQUIRE_HTTPS: 'true' });
    const child = forkSource(path.join(__dirname, 'dispatcher-process.ts'), env, { stderr: 'pipe' });
    let errors = '';
    child.stderr?.on('data', (text) => (errors += String(text)));
    expect(await once(child, 'close')).toEqual([78, null]);
    expect(errors).toContain('POSTBACK_ALLOW_LOOPBACK');
  }, 60_000);

  it('accepts an environment without development settings', () => {
    expect(problemsOf({ NODE_ENV: 'production' })).toEqual([]);
  });
});

describe('POSTBACK_ALLOWED_NETWORKS', () => {
  it.each(['172.16.0.0', '172.16.0.0/33', 'everywhere'])('refuses %s, which is not a CIDR', (text) => {
    expect(problemsOf({ POSTBACK_ALLOWED_NETWORKS: text })).toEqual([
      'POSTBACK_ALLOWED_NETWORKS: must be a comma-separated list of CIDRs',
    ]);
  });
});

describe('the size of a page of the delivery log', () => {
  it.each(['POSTBACK_PAGE_DEFAULT_LIMIT', 'POSTBACK_PAGE_MAX_LIMIT'])('cannot be set above 1,000 by %s', (name) => {
    expect(problemsOf({ [name]: '1000' })).toEqual([]);
    expect(problemsOf({ [name]: '1001' })).toEqual([`${name}: must not be greater than 1000`]);
  });
});

describe('FIELD_ENCRYPTION_KEYS', () => {
  it('refuses a key of 31 bytes with an error that names the variable', () => {
    const short = Buffer.alloc(31, 7).toString('base64');
    expect(problemsOf({ FIELD_ENCRYPTION_KEYS: `k1:${short}` })).toEqual([
      'FIELD_ENCRYPTION_KEYS: must be a comma-separated list of <id>:<base64 of 32 bytes>',
    ]);
  });
});
