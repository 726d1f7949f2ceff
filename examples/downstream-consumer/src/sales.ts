import { SALE_COMPLETED, type SaleCompleted, validatorOf } from '@tandem/contracts';
import { DatabaseError, type PoolClient } from 'pg';
import { once } from './database';

/** An event as it came. */
export interface Message {
  readonly id: string;
  readonly value: Buffer;
}

const faultsOf = validatorOf(SALE_COMPLETED);

/** Adds a sale to its partner's sum. An event that cannot be handled is kept for people to look at, and the next one is handled. */
export async function handleSale({ id, value }: Message): Promise<void> {
  const { sale, fault } = read(value);
  const refusal = sale ? await refusalOf(once(id, (client) => add(client, sale))) : fault;
  if (refusal === undefined) return;
  await once(id, async (client) => {
    await client.query('insert into refused_event values ($1, $2, $3)', [id, refusal, value]);
  });
}

async function add(client: PoolClient, sale: SaleCompleted): Promise<void> {
  // A partner's rehearsal is no revenue.
  if (sale.environment !== 'live') return;
  await client.query(
    `insert into partner_sales values ($1, $2, 1, $3)
     on conflict (partner_id, currency) do update
     set sales = partner_sales.sales + 1, cents = partner_sales.cents + excluded.cents`,
    [sale.partnerId, sale.currency, centsOf(sale)],
  );
}

/** Why Postgres cannot hold the values of an event, such as a text with U+0000 or a sum out of range; undefined when they are stored. */
async function refusalOf(stored: Promise<void>): Promise<string | undefined> {
  try {
    await stored;
    return undefined;
  } catch (error) {
    // Class 22 is about the data. Any other error is not the event's fault, and is tried again.
    if (error instanceof DatabaseError && error.code?.startsWith('22')) return error.message;
    throw error;
  }
}

function read(value: Buffer): { sale: SaleCompleted; fault?: undefined } | { sale?: undefined; fault: string } {
  let data: unknown;
  try {
    data = JSON.parse(value.toString());
  } catch {
    return { fault: 'not JSON' };
  }
  const faults = faultsOf(data);
  return faults ? { fault: faults.join(', ') } : { sale: data as SaleCompleted };
}

/** Prices have two decimals: a sum of cents is exact. */
const centsOf = ({ items }: SaleCompleted): bigint =>
  items.reduce((sum, { price, quantity }) => sum + BigInt(price.replace('.', '')) * BigInt(quantity), 0n);
