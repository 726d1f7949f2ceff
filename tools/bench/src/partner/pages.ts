import { couponsPath, CouponPage } from '@tandem/internal-api';
import { Client } from 'pg';
import { Client as HttpClient } from 'undici';
import { secretsOfRun } from '../processes/apps';
import type { Cleanup } from '../processes/child';
import { Figure, ms } from '../report';
import type { Settings } from '../../options';
import { median } from '../statistics';
import { builtModule, createDatabase, type Database, PAGE_SQL, startVoucherService } from './apps';
import { createAccount, createGroup, fillCoupons, serviceAuthorization } from './rows';

const FEW = 1_000;
const LIMIT = 100;
const WARM_UP = 300;
const SAMPLES_A_ROUND = 500;
const FROM_THE_NEWEST = 9223372036854775807n;

/** The kinds of pages that are measured: requested from the service, or read by the service's query alone. */
const KINDS = ['first page', 'deep page', 'first page, query alone', 'deep page, query alone'] as const;
type Kind = (typeof KINDS)[number];

interface Cursors {
  encode(list: { partnerId: string; environment: 'live'; groupId: string; status: null }, seq: string): string;
}

/** A database with one group of a given number of coupons, and a voucher-service that uses it. */
class Table {
  readonly times: Record<Kind, number[]>;

  private constructor(
    private readonly connection: Client,
    private readonly service: HttpClient,
    private readonly list: { partnerId: string; environment: 'live'; groupId: string; status: null },
    private readonly cursors: Cursors,
    private readonly codes: number,
  ) {
    this.times = Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as Record<Kind, number[]>;
  }

  static async create(database: Database, codes: number, cleanup: Cleanup): Promise<Table> {
    const { partnerId } = await createAccount(database.client, 'voucher');
    const groupId = await createGroup(database.client, partnerId);
    await fillCoupons(database.client, groupId, codes);
    const connection = new Client({ connectionString: database.urlFor('voucher') });
    await connection.connect();
    cleanup.add(() => connection.end());
    const service = new HttpClient(await startVoucherService(database, cleanup));
    cleanup.add(() => service.close());
    const { CouponCursors } = builtModule<{ CouponCursors: new (keys: Buffer[]) => Cursors }>(
      'voucher-service/dist/coupon/coupon-cursor',
    );
    const cursors = new CouponCursors([Buffer.from((await secretsOfRun()).cursorSigningKeys, 'base64')]);
    return new Table(connection, service, { partnerId, environment: 'live', groupId, status: null }, cursors, codes);
  }

  async measure(kind: Kind): Promise<void> {
    const before = kind.startsWith('deep') ? this.somewhereDeep() : FROM_THE_NEWEST;
    const read = kind.endsWith('alone') ? this.query(before) : this.request(before);
    this.times[kind].push(await read);
  }

  forgetTimes(): void {
    for (const kind of KINDS) this.times[kind].length = 0;
  }

  /** Returns a random position in the older half of the coupons, so that pages differ and no page is the last one. */
  private somewhereDeep(): bigint {
    return BigInt(LIMIT + 2 + Math.floor(Math.random() * (this.codes / 2 - LIMIT)));
  }

  private async request(before: bigint): Promise<number> {
    const { partnerId, groupId } = this.list;
    const query = new URLSearchParams({ voucherGroupId: groupId, limit: String(LIMIT) });
    if (before !== FROM_THE_NEWEST) query.set('cursor', this.cursors.encode(this.list, before.toString()));
    const path = `${couponsPath(partnerId, 'live')}?${query.toString()}`;
    const headers = { authorization: await serviceAuthorization() };
    const started = performance.now();
    const answer = await this.service.request({ method: 'GET', path, headers });
    const text = await answer.body.text();
    const taken = performance.now() - started;
    if (answer.statusCode !== 200) throw new Error(`a page was answered with ${answer.statusCode}: ${text}`);
    if ((JSON.parse(text) as CouponPage).items.length !== LIMIT) throw new Error('the page is not full');
    return taken;
  }

  private async query(before: bigint): Promise<number> {
    const { partnerId, groupId } = this.list;
    const values = [groupId, partnerId, 'live', before.toString(), LIMIT + 1];
    const started = performance.now();
    const { rows } = await this.connection.query({ name: 'page', text: PAGE_SQL(), values });
    const taken = performance.now() - started;
    if (rows.length !== LIMIT + 1) throw new Error('the page is not full');
    return taken;
  }
}

/** (2) Measures pages of a table with 1,000 codes and of a table with very many codes, in turn. */
export async function measurePages(
  serverUrl: string,
  rounds: number,
  cleanup: Cleanup,
  { codes }: Settings,
): Promise<Figure[]> {
  const databases = [await createDatabase(serverUrl, cleanup), await createDatabase(serverUrl, cleanup)] as const;
  const few = await Table.create(databases[0], FEW, cleanup);
  const many = await Table.create(databases[1], codes, cleanup);
  await takeTurns(few, many, WARM_UP);
  for (const table of [few, many]) table.forgetTimes();
  await takeTurns(few, many, rounds * SAMPLES_A_ROUND);
  return KINDS.flatMap((kind) => figuresOf(kind, few.times[kind], many.times[kind], codes));
}

async function takeTurns(few: Table, many: Table, samples: number): Promise<void> {
  for (let sample = 0; sample < samples; sample++) {
    const order = sample % 2 === 0 ? [few, many] : [many, few];
    for (const kind of KINDS) for (const table of order) await table.measure(kind);
  }
}

function figuresOf(kind: Kind, few: readonly number[], many: readonly number[], codes: number): Figure[] {
  const ratio = median(many) / median(few);
  const counts = `${FEW.toLocaleString('en')} / ${codes.toLocaleString('en')} codes`;
  return [
    { name: `(2) ${kind}, ${counts}`, value: `${ms(median(few))} / ${ms(median(many))}` },
    {
      name: `(2) ${kind}, many / few`,
      value: ratio.toFixed(2),
      // The target applies to a page from the service; the query alone shows which part of the time the query takes.
      ...(kind.endsWith('alone') ? {} : { target: '<= 1.20', met: ratio <= 1.2 }),
    },
  ];
}
