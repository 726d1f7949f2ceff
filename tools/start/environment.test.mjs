import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { environmentOf } from './environment.mjs';
import { makeSecrets } from './secrets.mjs';
import { APPS } from '../../apps/apps.js';

const ports = Object.fromEntries(
  ['edge', 'sandbox', ...APPS.map(({ name }) => name)].map((name, index) => [name, 5000 + index]),
);
/** @returns {Record<string, any>} */
const environment = () =>
  environmentOf({
    bus: 'postgres',
    ports,
    secrets: makeSecrets(),
    superuserUrl: 'postgres://postgres:x@127.0.0.1:1/postgres',
  });
/** What both ends have of some variables. */
const access = ({ VENDOR_APP_KEY, VENDOR_SERVER_TOKEN }) => ({ VENDOR_APP_KEY, VENDOR_SERVER_TOKEN });

describe('the environment of a stack', () => {
  it("gives idp-api the sandbox's vendor, and both the same access", () => {
    const { apps, sandbox, sandboxUrl } = environment();
    assert.equal(apps['idp-api'].VENDOR_URL, `${sandboxUrl}/vendor/api`);
    assert.deepEqual(access(apps['idp-api']), access(sandbox));
    assert.match(sandbox.VENDOR_SERVER_TOKEN, /^[\w-]{43}$/);
  });

  it("lets the vendor's webhooks go through the edge, signed with the first of the secrets", () => {
    const { apps, sandbox, baseUrl } = environment();
    assert.equal(sandbox.ARRAY_WEBHOOK_URL, `${baseUrl}/idp/array/webhook`);
    assert.equal(sandbox.ARRAY_WEBHOOK_SECRET, apps['webhook-ingest'].ARRAY_WEBHOOK_SECRETS.split(',')[0]);
    assert.equal(sandbox.VENDOR_APP_KEY, apps['webhook-ingest'].VENDOR_APP_KEY);
    assert.notEqual(sandbox.ARRAY_WEBHOOK_SECRET, sandbox.PAYMENTS_WEBHOOK_SECRET);
  });
});
