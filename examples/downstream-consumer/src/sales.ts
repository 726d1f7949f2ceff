import { SALE_COMPLETED, type SaleCompleted, validatorOf } from '@tandem/contracts';
import { once } from './database';

/** An event as it came. */
export interface Message {
  readonly id: string;
  readonly value: string;
}

const faultsOf = validatorOf(SALE_COMPLETED);

/** Adds a sale to its partner's sum. An event that is not valid is kept for people to look at, and the next one is handled. */
export async function handleSale({ id, value }: Message): Promise<void> {
  const { sale, fault } = read(value);
  await once(id, async (client) => {
    if (fault !== undefined) {
      await client.query('insert into refused_event values ($1, $2, $3)', [id, fault, value]);
      return;
    }
    // A partner's rehearsal is no revenue.
    if (sale.environment !== 'live') return;
    await client.query(
      `insert into partner_sales values ($1, $2, 1, $3)
       on conflict (partner_id, currency) do update
       set sales = partner_sales.sales + 1, cents = partner_sales.cents + excluded.cents`,
      [sale.partnerId, sale.currency, centsOf(sale)],
    );
  });
}

function read(value: string): { sale: SaleCompleted; fault?: undefined } | { sale?: undefined; fault: string } {
  let data: unknown;
  try {
    data = JSON.parse(value);
  } catch {
    return { fault: 'not JSON' };
  }
  const faults = faultsOf(data);
  return faults ? { fault: faults.join(', ') } : { sale: data as SaleCompleted };
}

/** Prices have two decimals: a sum of cents is exact. */
const centsOf = ({ items }: SaleCompleted): number =>
  items.reduce((sum, { price, quantity }) => sum + Number(price.replace('.', '')) * Number(quantity), 0);
