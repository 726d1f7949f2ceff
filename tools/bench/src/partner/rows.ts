import { randomUUID } from 'node:crypto';
import { generatePartnerToken, hashPartnerToken, issueServiceToken, parseServicePrivateKey } from '@tandem/auth';
import type { Client } from 'pg';
import { secretsOfRun } from '../processes/apps';

/** A partner account with a live token. */
export interface Account {
  readonly partnerId: string;
  readonly token: string;
}

const SCOPES = {
  promotion: ['checkout:create', 'sales:read', 'sales:revoke', 'postback:read', 'postback:write'],
  voucher: ['vouchers:read', 'vouchers:create'],
};

/** Creates a partner with a live token. A promotion partner also gets an active promotion with the given code. */
export async function createAccount(
  client: Client,
  kind: keyof typeof SCOPES,
  promotionCode = 'BENCH20',
): Promise<Account> {
  const account = { partnerId: `ptn_${randomUUID()}`, token: generatePartnerToken('live') };
  await client.query(
    `insert into partner.partner (id, name, kind, revoke_window_days) values ($1, 'Benchmark', $2, 30)`,
    [account.partnerId, kind],
  );
  await client.query(
    `insert into partner.partner_token (id, partner_id, environment, scopes, hash, last4) values ($1, $2, 'live', $3, $4, $5)`,
    [`tok_${randomUUID()}`, account.partnerId, SCOPES[kind], hashPartnerToken(account.token), account.token.slice(-4)],
  );
  if (kind === 'promotion') {
    await client.query(`insert into partner.promotion (id, partner_id, code, percent_off) values ($1, $2, $3, 20)`, [
      `prm_${randomUUID()}`,
      account.partnerId,
      promotionCode,
    ]);
  }
  return account;
}

/** Creates an active group without coupons and without an end date. @returns its id */
export async function createGroup(client: Client, partnerId: string): Promise<string> {
  const id = randomUUID();
  await client.query(
    `insert into voucher.voucher_group
       (id, partner_id, environment, name, status, product_name, product_tier, product_period_months, currency, valid_from)
     values ($1, $2, 'live', 'Benchmark', 'active', 'Advanced', 'advanced', 12, 'USD', now())`,
    [id, partnerId],
  );
  return id;
}

const CHUNK = 500_000;

/**
 * Fills the table with coupons of one group, in batches of 500 and with codes in random order. Drops the unique indexes
 * of codes and hashes first: creating them again at the end takes less time than updating them.
 */
export async function fillCoupons(client: Client, groupId: string, count: number): Promise<void> {
  await client.query(
    'alter table voucher.coupon drop constraint coupon_code_key, drop constraint coupon_code_hash_key',
  );
  for (let from = 1; from <= count; from += CHUNK) {
    const to = Math.min(count, from + CHUNK - 1);
    await client.query(
      `insert into voucher.coupon (group_id, batch_id, created_at, id, code, code_hash)
       select $1, md5('batch ' || n / 500)::uuid, now(), gen_random_uuid(),
              translate(substr(md5('code ' || n), 1, 16), '01abcdef', 'XYABCDEF'),
              sha256(convert_to('code ' || n, 'UTF8'))
         from generate_series($2::int, $3::int) as n`,
      [groupId, from, to],
    );
    if (count > CHUNK) console.log(`  ${to.toLocaleString('en')} of ${count.toLocaleString('en')} codes`);
  }
  await client.query(
    `alter table voucher.coupon add constraint coupon_code_key unique (code),
                                add constraint coupon_code_hash_key unique (code_hash)`,
  );
  await client.query('update voucher.voucher_group set issued = $2 where id = $1', [groupId, count]);
  await client.query('vacuum analyze voucher.coupon');
  await client.query('vacuum analyze voucher.voucher_group');
  await client.query('checkpoint');
}

/** Returns the header value that authorizes a request of partner-gateway to voucher-service. */
export async function serviceAuthorization(): Promise<string> {
  const from = 'partner-gateway';
  const privateKey = parseServicePrivateKey((await secretsOfRun()).serviceKeys[from] as string);
  return `Bearer ${await issueServiceToken({ privateKey, from, audience: 'voucher-service', now: new Date() })}`;
}
