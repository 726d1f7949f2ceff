import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { inRoot, ROOT } from './paths.mjs';
import { needsOf } from './test-servers.mjs';

const needs = (file) => needsOf([inRoot(file)]);

describe('the servers that a test file needs', () => {
  it('none, for rules without a database', () =>
    assert.deepEqual(needs('libs/batching/src/batcher.spec.ts'), { postgres: false, kafka: false, browser: false }));

  it('Postgres alone, for a test of an app', () =>
    assert.deepEqual(needs('apps/voucher-service/test/create-coupons.int.spec.ts'), {
      postgres: true,
      kafka: false,
      browser: false,
    }));

  it('Kafka, when a file that it imports asks for one', () =>
    assert.equal(needs('libs/messaging/test/poison.int.spec.ts').kafka, true));

  it('a browser, for tests of pages', () =>
    assert.equal(needs('tools/sandbox/test/pages.browser.spec.ts').browser, true));
});

describe('npx jest with one file', () => {
  it('starts what the file needs, and ends it', { timeout: 120_000 }, () => {
    const file = 'libs/database/test/database-client.int.spec.ts';
    const env = { ...process.env, DATABASE_URL: '', KAFKA_BROKERS: '' };
    const { status, stdout, stderr } = spawnSync('npx', ['jest', file], { cwd: ROOT, env, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /start postgres/);
    assert.doesNotMatch(stdout, /kafka/i);
    assert.match(stderr, /Tests: +\d+ passed/);
  });
});
