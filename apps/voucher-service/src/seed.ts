import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Environment } from '@tandem/contracts';
import { createDataSource } from '@tandem/database';
import type { EntityManager } from 'typeorm';

/*
 * Creates demo voucher groups for development: `node dist/seed.js --partners <path> --file <path>` with the DATABASE_URL of
 * the role `voucher`. `--partners` names partner-gateway's seed file. `--file` names the file with the ids of the groups, which
 * the script creates when it is missing. The script can run at each start of the stack: it creates missing groups, and resets the
 * partner, the status and the stock of existing groups.
 */

/** The ids of the demo partners' voucher groups, under the names that `stack.json` uses. */
export interface VoucherSeedFile {
  voucher: {
    voucherGroupId: string;
    otherVoucherGroupId: string;
    lowStockVoucherGroupId: string;
    testVoucherGroupId: string;
  };
  voucher2: { voucherGroupId: string };
}

/** The fields of partner-gateway's seed file that this script reads. */
interface PartnersFile {
  partners: { voucher: { id: string }; voucher2: { id: string } };
}

interface DemoGroup {
  id: string;
  partnerId: string;
  name: string;
  tier: string;
  environment?: Environment;
  /** How many coupons can be created in the group after each run; any number if missing. */
  remaining?: number;
}

const LOW_STOCK = 5;

/** Generates ids for new groups. */
export const chooseVoucherSeed = (): VoucherSeedFile => ({
  voucher: {
    voucherGroupId: randomUUID(),
    otherVoucherGroupId: randomUUID(),
    lowStockVoucherGroupId: randomUUID(),
    testVoucherGroupId: randomUUID(),
  },
  voucher2: { voucherGroupId: randomUUID() },
});

/** Creates the groups whose ids are in a seed file, and resets the partner, the status and the stock of groups that exist already. */
export async function applyVoucherSeed(
  manager: EntityManager,
  { partners }: PartnersFile,
  { voucher, voucher2 }: VoucherSeedFile,
): Promise<void> {
  const first = { partnerId: partners.voucher.id };
  const groups: DemoGroup[] = [
    { ...first, id: voucher.voucherGroupId, name: 'Advanced, 1 year', tier: 'advanced' },
    { ...first, id: voucher.otherVoucherGroupId, name: 'Pro, 1 year', tier: 'pro' },
    { ...first, id: voucher.lowStockVoucherGroupId, name: 'Nearly sold out', tier: 'advanced', remaining: LOW_STOCK },
    { ...first, id: voucher.testVoucherGroupId, name: 'For tests', tier: 'advanced', environment: 'test' },
    { partnerId: partners.voucher2.id, id: voucher2.voucherGroupId, name: 'Advanced, 1 year', tier: 'advanced' },
  ];
  for (const group of groups) await seedGroup(manager, group);
}

async function seedGroup(manager: EntityManager, group: DemoGroup): Promise<void> {
  const { id, partnerId, name, tier, environment = 'live', remaining = null } = group;
  await manager.query(
    `insert into voucher_group (id, partner_id, environment, name, status, product_name, product_tier,
                                product_period_months, currency, stock, valid_from)
     values ($1, $2, $3, $4, 'active', $4, $5, 12, 'USD', $6, date_trunc('milliseconds', now()))
     on conflict (id) do update
       set partner_id = excluded.partner_id, status = 'active', stock = voucher_group.issued + $6`,
    [id, partnerId, environment, name, tier, remaining],
  );
}

/** Seeds the database at `databaseUrl` (role `voucher`) from the two files. @returns the content of `files.vouchers` */
export async function seedVouchers(
  files: { partners: string; vouchers: string },
  databaseUrl: string,
): Promise<VoucherSeedFile> {
  const partners = JSON.parse(await readFile(files.partners, 'utf8')) as PartnersFile;
  const seed = await readOrCreateSeed(files.vouchers);
  const dataSource = createDataSource({ url: databaseUrl, applicationName: 'voucher-service-seed', poolMax: 1 });
  await dataSource.initialize();
  try {
    await dataSource.transaction((manager) => applyVoucherSeed(manager, partners, seed));
  } finally {
    await dataSource.destroy();
  }
  return seed;
}

async function readOrCreateSeed(file: string): Promise<VoucherSeedFile> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as VoucherSeedFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const seed = chooseVoucherSeed();
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.new`, `${JSON.stringify(seed, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return seed;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { partners: { type: 'string' }, file: { type: 'string' } } });
  const { partners, file: vouchers } = values;
  const databaseUrl = process.env['DATABASE_URL'];
  if (!partners || !vouchers || !databaseUrl) {
    throw new Error('usage: DATABASE_URL=… node dist/seed.js --partners <seed of partner-gateway> --file <path>');
  }
  process.stdout.write(`${JSON.stringify(await seedVouchers({ partners, vouchers }, databaseUrl), null, 2)}\n`);
}

if (require.main === module) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
