import { SEED_FILE, VOUCHER_SEED_FILE } from './paths.mjs';

/**
 * The apps of the stack, one row each: ports, roles, addresses, secrets, environment files, migrations, seeds, and what the commands
 * take as `--app` derive from it.
 *
 * - `name`: the folder in `apps/`. `<NAME>_PORT` moves the app's port, and every app gets its address as `<NAME>_URL`.
 * - `role`: the database role, and the schema of the same name.
 * - `port`: where it listens by default.
 * - `encryptsFields`: whether it gets FIELD_ENCRYPTION_KEYS of its own.
 * - `seed`: arguments of its `dist/seed.js`. Rows are seeded in their order: voucher groups belong to partners.
 */
export const APPS = [
  { name: 'partner-gateway', role: 'partner', port: 4101, encryptsFields: true, seed: ['--file', SEED_FILE] },
  { name: 'webhook-ingest', role: 'ingest', port: 4102, encryptsFields: true },
  { name: 'postback-dispatcher', role: 'postback', port: 4103, encryptsFields: true },
  {
    name: 'voucher-service',
    role: 'voucher',
    port: 4104,
    seed: ['--partners', SEED_FILE, '--file', VOUCHER_SEED_FILE],
  },
  { name: 'idp-api', role: 'idp', port: 4105, encryptsFields: true },
];

/** The name of an app's variable: `partner-gateway`, `PORT` → `PARTNER_GATEWAY_PORT`. */
export const variableOf = (name, suffix) => `${name.toUpperCase().replaceAll('-', '_')}_${suffix}`;

/** Under which name the stack's secrets keep an app's FIELD_ENCRYPTION_KEYS. */
export const encryptionKeysOf = ({ role }) => `${role}EncryptionKeys`;
