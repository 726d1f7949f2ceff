import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { Environment } from '@tandem/contracts';
import { queryPrepared, runnerOf } from '@tandem/database';
import { EntityManager, type EntityMetadata, In, LessThan } from 'typeorm';
import type { PageRequest } from '../paging/page.rules';
import { Sale, SALE_STATUSES, type SaleStatus } from './sale.entity';

@Injectable()
export class SaleRepository {
  private readonly columns: EntityMetadata['columns'];
  /** Not those that only the database writes (`update: false` of the entity). */
  private readonly written: EntityMetadata['columns'];
  /** For every payment: TypeORM would build these statements, and Postgres plan them, each time. */
  private readonly createText: string;
  private readonly saveText: string;

  constructor(@InjectEntityManager() private readonly manager: EntityManager) {
    this.columns = manager.dataSource.getMetadata(Sale).columns;
    this.written = this.columns.filter(({ isPrimary, isUpdate }) => isUpdate && !isPrimary);
    // Named one by one: a prepared statement that returns `*` fails when a migration adds a column.
    const names = this.columns.map(({ databaseName }) => databaseName).join(', ');
    this.createText = `insert into sale (oid) values ($1) on conflict (oid) do nothing returning ${names}`;
    const assignments = this.written.map(({ databaseName }, index) => `${databaseName} = $${index + 2}`);
    this.saveText = `update sale set ${assignments.join(', ')} where oid = $1`;
  }

  /**
   * Locks what is known of a subscription, which may be nothing so far: all that happens to one subscription happens one
   * after the other, whichever process and event it comes from.
   */
  async lockOrCreate(manager: EntityManager, oid: string): Promise<Sale> {
    // Most often the first purchase is all that there is: then this is all that is asked.
    const [row] = await queryPrepared<Record<string, unknown>>(runnerOf(manager), 'sale-create', this.createText, [
      oid,
    ]);
    if (row) return this.saleOf(row);
    return manager.findOneOrFail(Sale, { where: { oid }, lock: { mode: 'pessimistic_write' } });
  }

  async findForUpdate(manager: EntityManager, oid: string): Promise<Sale | null> {
    return manager.findOne(Sale, { where: { oid }, lock: { mode: 'pessimistic_write' } });
  }

  /** Null also for another partner's sale, and for one of the other environment. */
  async findOwnForUpdate(
    manager: EntityManager,
    owner: { partnerId: string; environment: Environment },
    oid: string,
  ): Promise<Sale | null> {
    const { partnerId, environment } = owner;
    return manager.findOne(Sale, { where: { oid, partnerId, environment }, lock: { mode: 'pessimistic_write' } });
  }

  async save(manager: EntityManager, sale: Sale): Promise<void> {
    const changed: Sale = { ...sale, updatedAt: new Date() };
    const values = this.written.map(({ propertyName, type }) => {
      const value = changed[propertyName as keyof Sale];
      return type === 'jsonb' && value !== null ? JSON.stringify(value) : value;
    });
    await queryPrepared(runnerOf(manager), 'sale-save', this.saveText, [sale.oid, ...values]);
  }

  /**
   * How many other sales a buyer made in the hour before. Sales of one buyer are counted one after the other, so that two
   * at once cannot both miss each other; the lock ends with the transaction.
   */
  async countBuyersSales(manager: EntityManager, sale: Sale): Promise<number> {
    if (sale.emailHash === null || sale.soldAt === null) return 0;
    await manager.query(`select pg_advisory_xact_lock(hashtextextended('buyer:' || $1, 0))`, [sale.emailHash]);
    const [row] = await manager.query<{ count: number }[]>(
      `select count(*)::int as count
         from sale
        where email_hash = $1 and sold_at > $2::timestamptz - interval '1 hour' and sold_at <= $2 and oid <> $3
          and payment_status = 'captured' and partner_id is not null and environment = $4`,
      [sale.emailHash, sale.soldAt, sale.oid, sale.environment],
    );
    return row?.count ?? 0;
  }

  private saleOf(row: Record<string, unknown>): Sale {
    const values = this.columns.map(({ propertyName, databaseName }) => [propertyName, row[databaseName]]);
    return Object.assign(new Sale(), Object.fromEntries(values) as Partial<Sale>);
  }

  async findPage(status: SaleStatus | undefined, { before, limit }: PageRequest): Promise<Sale[]> {
    return this.manager.find(Sale, {
      where: { status: status ?? In([...SALE_STATUSES]), ...(before === null ? {} : { seq: LessThan(before) }) },
      order: { seq: 'DESC' },
      take: limit + 1,
    });
  }
}
