import { randomBytes } from 'node:crypto';
import { couponsPath, CreateCoupons, CreatedCoupons } from '@tandem/internal-api';
import { Client } from 'pg';
import { Client as HttpClient } from 'undici';
import type { Cleanup } from '../processes/child';
import { Figure, ms } from '../report';
import { median, quantile } from '../statistics';
import { createDatabase, startVoucherService } from './apps';
import { createAccount, createGroup, serviceAuthorization } from './rows';

const COUNT = 500;
const WARM_UP = 30;
const SAMPLES_A_ROUND = 50;
/**
 * The pause before each measured step. voucher-service answers a creation before its relay publishes the event; the
 * pause keeps this work out of the next step.
 */
const PAUSE_MS = 40;

/** Creates a table with the columns, indexes and constraints of `voucher.coupon`, except foreign keys. */
const TWIN = 'create table voucher.twin (like voucher.coupon including all)';

const RAW = `
  insert into voucher.twin (group_id, batch_id, created_at, id, code, code_hash)
  select $1, $2, $3, n.id, n.code, n.hash from unnest($4::uuid[], $5::text[], $6::bytea[]) as n (id, code, hash)`;

/**
 * (1) Compares the creation of 500 coupons by voucher-service with a single raw statement, which inserts 500 rows with
 * the same codes into a copy of the table.
 */
export async function measureCreation(serverUrl: string, rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  const database = await createDatabase(serverUrl, cleanup);
  const { partnerId } = await createAccount(database.client, 'voucher');
  const groupId = await createGroup(database.client, partnerId);
  await database.client.query(TWIN);
  const service = new HttpClient(await startVoucherService(database, cleanup));
  cleanup.add(() => service.close());
  const create = (): Promise<CreatedCoupons> => createCoupons(service, partnerId, groupId);

  for (let index = 0; index < WARM_UP; index++) await insertRaw(database.client, rawInsertOf(await create()));
  const creations: number[] = [];
  const inserts: number[] = [];
  for (let sample = 0; sample < rounds * SAMPLES_A_ROUND; sample++) {
    await pause();
    const created = await timed(creations, create);
    await pause();
    const insert = rawInsertOf(created);
    await timed(inserts, () => insertRaw(database.client, insert));
  }
  const ratio = median(creations) / median(inserts);
  return [
    { name: '(1) 500 rows, raw insert', value: timesOf(inserts) },
    { name: '(1) 500 codes, voucher-service', value: timesOf(creations) },
    { name: '(1) voucher-service / raw insert', value: ratio.toFixed(2), target: '<= 3.00', met: ratio <= 3 },
  ];
}

async function createCoupons(service: HttpClient, partnerId: string, groupId: string): Promise<CreatedCoupons> {
  const wanted: CreateCoupons = { voucherGroupId: groupId, requestedCount: COUNT, tokenId: 'bench' };
  const answer = await service.request({
    method: 'POST',
    path: couponsPath(partnerId, 'live'),
    headers: { authorization: await serviceAuthorization(), 'content-type': 'application/json' },
    body: JSON.stringify(wanted),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 201) throw new Error(`a creation was answered with ${answer.statusCode}: ${text}`);
  return JSON.parse(text) as CreatedCoupons;
}

/** Builds the parameters of a raw insert, outside the measured time. The hashes of the codes may be any 32 bytes. */
function rawInsertOf({ batchId, items }: CreatedCoupons): unknown[] {
  const [first] = items;
  return [
    first?.voucherGroupId,
    batchId,
    first?.createdAt,
    items.map(({ id }) => id),
    items.map(({ code }) => code.replaceAll('-', '')),
    items.map(() => randomBytes(32)),
  ];
}

async function insertRaw(client: Client, values: unknown[]): Promise<void> {
  const { rowCount } = await client.query({ name: 'raw', text: RAW, values });
  if (rowCount !== COUNT) throw new Error(`${String(rowCount)} of ${COUNT} rows were inserted`);
}

async function timed<Result>(times: number[], work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  const result = await work();
  times.push(performance.now() - started);
  return result;
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
const timesOf = (times: readonly number[]): string => `${ms(median(times))} (p95 ${ms(quantile(times, 0.95))})`;
