import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { generatePartnerToken, hashPartnerToken, type PartnerScope } from '@tandem/auth';
import type { Environment } from '@tandem/contracts';
import { createDataSource } from '@tandem/database';
import type { EntityManager } from 'typeorm';
import type { PartnerKind } from './partner/partner.entity';
import { scopesOf } from './token/token.rules';

/**
 * Creates demo partners for development: `node dist/seed.js --file <path>`, with `DATABASE_URL` of the role `partner`. The file contains
 * the ids and tokens of the partners; the script creates the file if it does not exist. Each start of the local stack runs the script,
 * which creates missing rows, activates the partners, and restores tokens and promotions that were changed.
 */

/** The fields that every demo partner has. */
interface DemoAccount {
  id: string;
  token: string;
  testToken: string;
}

interface DemoPartner extends DemoAccount {
  promotionCode: string;
  /** Only the demo partner `promotion` has `readOnlyToken`, `expiredToken` and `revokedToken`. */
  readOnlyToken?: string;
  expiredToken?: string;
  revokedToken?: string;
}

export interface SeedFile {
  partners: { promotion: DemoPartner; promotion2: DemoPartner; voucher: DemoAccount; voucher2: DemoAccount };
}

/** Generates new ids and tokens for all demo partners. */
export function chooseSeed(): SeedFile {
  const account = (): DemoAccount => ({
    id: `ptn_${randomUUID().replaceAll('-', '')}`,
    token: generatePartnerToken('live'),
    testToken: generatePartnerToken('test'),
  });
  return {
    partners: {
      promotion: {
        ...account(),
        promotionCode: 'TANDEM20',
        readOnlyToken: generatePartnerToken('live'),
        expiredToken: generatePartnerToken('live'),
        revokedToken: generatePartnerToken('live'),
      },
      promotion2: { ...account(), promotionCode: 'TANDEM10' },
      voucher: account(),
      voucher2: account(),
    },
  };
}

/**
 * Creates the partners of a seed file with their tokens and promotions. If an earlier run created them, the partners are activated again,
 * and their tokens and promotions are restored.
 */
export async function applySeed(manager: EntityManager, { partners }: SeedFile): Promise<void> {
  await seedPromotionPartner(manager, partners.promotion, 'Demo promotion partner', 20);
  await seedPromotionPartner(manager, partners.promotion2, 'Second promotion partner', 10);
  await seedAccount(manager, partners.voucher, 'voucher', 'Demo voucher partner');
  await seedAccount(manager, partners.voucher2, 'voucher', 'Second voucher partner');
}

/** Creates or activates a partner, and creates or restores its tokens of both environments. */
async function seedAccount(manager: EntityManager, demo: DemoAccount, kind: PartnerKind, name: string): Promise<void> {
  await manager.query(
    `insert into partner (id, name, kind, revoke_window_days) values ($1, $2, $3, 30)
     on conflict (id) do update set active = true, updated_at = now()`,
    [demo.id, name, kind],
  );
  await seedToken(manager, demo.id, demo.token, { scopes: scopesOf(kind, 'live') });
  await seedToken(manager, demo.id, demo.testToken, { scopes: scopesOf(kind, 'test'), environment: 'test' });
}

async function seedPromotionPartner(
  manager: EntityManager,
  demo: DemoPartner,
  name: string,
  percentOff: number,
): Promise<void> {
  const scopes = scopesOf('promotion', 'live');
  await seedAccount(manager, demo, 'promotion', name);
  await seedPromotion(manager, demo, percentOff);
  await seedToken(manager, demo.id, demo.readOnlyToken, { scopes: ['postback:read'] });
  await seedToken(manager, demo.id, demo.expiredToken, { scopes, ended: 'expires_at' });
  await seedToken(manager, demo.id, demo.revokedToken, { scopes, ended: 'revoked_at' });
}

/**
 * Activates the promotion with the demo code. If a developer has activated another promotion since the last run, the other promotion is
 * deactivated.
 */
async function seedPromotion(manager: EntityManager, demo: DemoPartner, percentOff: number): Promise<void> {
  await manager.query(
    `update promotion set active = false, deactivated_at = now()
      where partner_id = $1 and active and lower(code) <> lower($2)`,
    [demo.id, demo.promotionCode],
  );
  // The promotion is found by its code. If the seed file was lost, the code still belongs to a partner from the lost file, and is moved to
  // the new partner.
  await manager.query(
    `insert into promotion (id, partner_id, code, percent_off) values ($1, $2, $3, $4)
     on conflict (lower(code)) do update set partner_id = $2, active = true, deactivated_at = null`,
    [`prm_${randomUUID().replaceAll('-', '')}`, demo.id, demo.promotionCode, percentOff],
  );
}

async function seedToken(
  manager: EntityManager,
  partnerId: string,
  token: string | undefined,
  wanted: { scopes: readonly PartnerScope[]; environment?: Environment; ended?: 'expires_at' | 'revoked_at' },
): Promise<void> {
  if (token === undefined) return;
  const { scopes, environment = 'live', ended } = wanted;
  const anHourAgo = new Date(Date.now() - 3_600_000);
  await manager.query(
    `insert into partner_token (id, partner_id, environment, scopes, hash, last4, expires_at, revoked_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (hash) do update
       set scopes = excluded.scopes, expires_at = excluded.expires_at, revoked_at = excluded.revoked_at`,
    [
      `tok_${randomUUID().replaceAll('-', '')}`,
      partnerId,
      environment,
      scopes,
      hashPartnerToken(token),
      token.slice(-4),
      ended === 'expires_at' ? anHourAgo : null,
      ended === 'revoked_at' ? anHourAgo : null,
    ],
  );
}

/**
 * Reads the seed file. If the file does not exist, generates a seed and writes the file atomically, readable only by its owner. If an
 * earlier version of this script wrote the file, adds the partners that the file lacks.
 */
export async function readOrCreateSeed(file: string): Promise<SeedFile> {
  const kept = await readSeed(file);
  const seed = { partners: { ...chooseSeed().partners, ...kept.partners } };
  if (Object.keys(seed.partners).every((name) => name in kept.partners)) return seed;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.new`, `${JSON.stringify(seed, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return seed;
}

async function readSeed(file: string): Promise<{ partners: Partial<SeedFile['partners']> }> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as SeedFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { partners: {} };
  }
}

/** Seeds the database at `databaseUrl` (role `partner`) with the partners of the file. @returns the content of the file */
export async function seedDevelopment(file: string, databaseUrl: string): Promise<SeedFile> {
  const seed = await readOrCreateSeed(file);
  const dataSource = createDataSource({ url: databaseUrl, applicationName: 'partner-gateway-seed', poolMax: 1 });
  await dataSource.initialize();
  try {
    await dataSource.transaction((manager) => applySeed(manager, seed));
  } finally {
    await dataSource.destroy();
  }
  return seed;
}

async function main(): Promise<void> {
  const { file } = parseArgs({ options: { file: { type: 'string' } } }).values;
  const databaseUrl = process.env['DATABASE_URL'];
  if (!file || !databaseUrl) throw new Error('usage: DATABASE_URL=… node dist/seed.js --file <path of the seed file>');
  process.stdout.write(`${JSON.stringify(await seedDevelopment(file, databaseUrl), null, 2)}\n`);
}

if (require.main === module) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
