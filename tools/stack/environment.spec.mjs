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
/** Returns the variables that idp-api and the sandbox's vendor must share. */
const access = ({ VENDOR_APP_KEY, VENDOR_SERVER_TOKEN }) => ({ VENDOR_APP_KEY, VENDOR_SERVER_TOKEN });

describe('the environment of a stack', () => {
  it("points idp-api to the sandbox's vendor, and gives both the same credentials", () => {
    const { apps, sandbox, sandboxUrl } = environment();
    expect(apps['idp-api'].VENDOR_URL).toBe(`${sandboxUrl}/vendor/api`);
    expect(access(apps['idp-api'])).toEqual(access(sandbox));
    expect(sandbox.VENDOR_SERVER_TOKEN).toMatch(/^[\w-]{43}$/);
  });

  it("sends the vendor's webhooks through the edge, signed with the first secret of webhook-ingest", () => {
    const { apps, sandbox, baseUrl } = environment();
    expect(sandbox.ARRAY_WEBHOOK_URL).toBe(`${baseUrl}/idp/array/webhook`);
    expect(sandbox.ARRAY_WEBHOOK_SECRET).toBe(apps['webhook-ingest'].ARRAY_WEBHOOK_SECRETS.split(',')[0]);
    expect(sandbox.VENDOR_APP_KEY).toBe(apps['webhook-ingest'].VENDOR_APP_KEY);
    expect(sandbox.ARRAY_WEBHOOK_SECRET).not.toBe(sandbox.PAYMENTS_WEBHOOK_SECRET);
  });
});
