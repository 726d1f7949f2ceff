import { couponsPath, CreateCoupons, CreatedCoupons } from '@tandem/contracts';
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
/** The event of a creation is relayed after its answer: that is over before the next sample begins. */
const PAUSE_MS = 40;

/** The same indexes and conditions, and nothing else. */
const TWIN = 'create table voucher.twin (like voucher.coupon including all)';

const RAW = `
  insert into voucher.twin (group_id, batch_id, created_at, id, code)
  select $1, $2, $3, n.id, n.code from unnest($4::uuid[], $5::text[]) as n (id, code)`;

/** (1) 500 codes by voucher-service, then the same 500 rows by one raw statement into a table just like its own. */
export async function measureCreation(serverUrl: string, rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  const database = await createDatabase(serverUrl, cleanup);
  const { partnerId } = await createAccount(database.client, 'voucher');
  const groupId = await createGroup(database.client, partnerId);
  await database.client.query(TWIN);
  const service = new HttpClient(await startVoucherService(database, cleanup));
  cleanup.add(() => service.close());
  const create = (): Promise<CreatedCoupons> => createCoupons(service, partnerId, groupId);

  for (let index = 0; index < WARM_UP; index++) await insertRaw(database.client, await create());
  const creations: number[] = [];
  const inserts: number[] = [];
  for (let sample = 0; sample < rounds * SAMPLES_A_ROUND; sample++) {
    await pause();
    const created = await timed(creations, create);
    await pause();
    await timed(inserts, () => insertRaw(database.client, created));
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

async function insertRaw(client: Client, { batchId, items }: CreatedCoupons): Promise<void> {
  const [first] = items;
  const ids = items.map(({ id }) => id);
  const codes = items.map(({ code }) => code.replaceAll('-', ''));
  const values = [first?.voucherGroupId, batchId, first?.createdAt, ids, codes];
  const { rowCount } = await client.query({ name: 'raw', text: RAW, values });
  if (rowCount !== COUNT) throw new Error(`${String(rowCount)} rows were inserted`);
}

async function timed<Result>(times: number[], work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  const result = await work();
  times.push(performance.now() - started);
  return result;
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
const timesOf = (times: readonly number[]): string => `${ms(median(times))} (p95 ${ms(quantile(times, 0.95))})`;
