import { spawnSync } from 'node:child_process';
import { inRoot, ROOT } from '../stack/paths.mjs';
import { needsOf } from './test-servers.mjs';

const needs = (file) => needsOf([inRoot(file)]);

describe('the servers that a test file needs', () => {
  it('are none for a test of pure functions', () =>
    expect(needs('libs/batching/src/batcher.spec.ts')).toEqual({
      postgres: false,
      kafka: false,
      browser: false,
      prometheus: false,
      stack: false,
    }));

  it('are only Postgres for a test of an app', () =>
    expect(needs('apps/voucher-service/test/create-coupons.int.spec.ts')).toEqual({
      postgres: true,
      kafka: false,
      browser: false,
      prometheus: false,
      stack: false,
    }));

  it('include Kafka when a file that the test imports needs a broker', () =>
    expect(needs('libs/messaging/test/poison.int.spec.ts').kafka).toBe(true));

  it('include Prometheus for tests of alert rules', () =>
    expect(needs('tools/observability/rules.spec.mjs').prometheus).toBe(true));

  it('include a browser for tests of pages', () =>
    expect(needs('tools/sandbox/test/pages.browser.spec.ts').browser).toBe(true));

  it('include the built stack for tests that start it', () =>
    expect(needs('tools/test/listen.spec.mjs').stack).toBe(true));
});

describe('npx jest with one file', () => {
  it('starts only the servers that the file needs, and ends', () => {
    const file = 'libs/database/test/database-client.int.spec.ts';
    const env = { ...process.env, DATABASE_URL: '', KAFKA_BROKERS: '' };
    const { status, stdout, stderr } = spawnSync('npx', ['jest', file], { cwd: ROOT, env, encoding: 'utf8' });
    expect([stderr, status]).toEqual([stderr, 0]);
    expect(stdout).toMatch(/start postgres/);
    expect(stdout).not.toMatch(/kafka/i);
    expect(stderr).toMatch(/Tests: +\d+ passed/);
  }, 120_000);
});
