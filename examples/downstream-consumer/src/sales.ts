import {
  SALE_CLOSED,
  SALE_COMPLETED,
  SALE_REVOKED,
  type SaleClosed,
  type SaleCompleted,
  type SaleRevoked,
  validatorOf,
} from '@tandem/contracts';
import { DatabaseError, type PoolClient } from 'pg';
import { once } from './database';

/** An event as it was received. */
export interface Message {
  readonly id: string;
  readonly topic: string;
  readonly value: Buffer;
}

type Effect = (client: PoolClient) => Promise<void>;

/** Validates the events of a topic and determines their effect. */
interface Handler {
  readonly faultsOf: (data: unknown) => readonly string[] | null;
  readonly effectOf: (data: never) => Effect;
}

/**
 * The handler of each topic. Topics are not ordered relative to each other: the refund of a sale may arrive before the sale. So each
 * event writes only its own part of the sale's row, and the sums are read from the rows.
 */
const HANDLERS: Readonly<Record<string, Handler>> = {
  [SALE_COMPLETED.topic]: { faultsOf: validatorOf(SALE_COMPLETED), effectOf: complete },
  [SALE_REVOKED.topic]: { faultsOf: validatorOf(SALE_REVOKED), effectOf: end },
  [SALE_CLOSED.topic]: { faultsOf: validatorOf(SALE_CLOSED), effectOf: end },
};

export const TOPICS = Object.keys(HANDLERS);

/** Handles an event once. An event that cannot be handled is stored in `refused_event` for people to check, and consumption continues. */
export async function handleEvent({ id, topic, value }: Message): Promise<void> {
  const { effect, fault } = read(HANDLERS[topic] as Handler, value);
  const refusal = effect ? await refusalOf(once(id, effect)) : fault;
  if (refusal === undefined) return;
  await once(id, async (client) => {
    await client.query('insert into refused_event values ($1, $2, $3)', [id, refusal, value]);
  });
}

function complete(sale: SaleCompleted): Effect {
  return async (client) => {
    // A partner's test sale is not revenue.
    if (sale.environment !== 'live') return;
    await client.query(
      `insert into sale (oid, partner_id, currency, cents) values ($1, $2, $3, $4)
       on conflict (oid) do update set partner_id = excluded.partner_id, currency = excluded.currency, cents = excluded.cents`,
      [sale.oid, sale.partnerId, sale.currency, centsOf(sale)],
    );
  };
}

/** Ends a sale. If several events end the same sale (revoked, refunded, charged back), only the first of them counts. */
function end(sale: SaleRevoked | SaleClosed): Effect {
  return async (client) => {
    if (sale.environment !== 'live') return;
    await client.query(
      `insert into sale (oid, ended_by) values ($1, $2)
       on conflict (oid) do update set ended_by = coalesce(sale.ended_by, excluded.ended_by)`,
      [sale.oid, 'status' in sale ? sale.status : 'revoked'],
    );
  };
}

/**
 * Returns undefined if the values of an event were stored. Otherwise returns why Postgres cannot store them: for
 * example, a text has U+0000, or a sum is out of range.
 */
async function refusalOf(stored: Promise<void>): Promise<string | undefined> {
  try {
    await stored;
    return undefined;
  } catch (error) {
    // Errors of SQLSTATE class 22 concern the data. Any other error is not caused by the event, and is retried.
    if (error instanceof DatabaseError && error.code?.startsWith('22')) return error.message;
    throw error;
  }
}

function read(
  handler: Handler,
  value: Buffer,
): { effect: Effect; fault?: undefined } | { effect?: undefined; fault: string } {
  let data: unknown;
  try {
    data = JSON.parse(value.toString());
  } catch {
    return { fault: 'not JSON' };
  }
  const faults = handler.faultsOf(data);
  return faults ? { fault: faults.join(', ') } : { effect: handler.effectOf(data as never) };
}

/** Prices have two decimals, so a sum of cents is exact. */
const centsOf = ({ items }: SaleCompleted): bigint =>
  items.reduce((sum, { price, quantity }) => sum + BigInt(price.replace('.', '')) * BigInt(quantity), 0n);
