import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Deletes stored webhooks. */
@Injectable()
export class PaymentEventRetentionRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Deletes up to `limit` webhooks that were received before a time. Rows that another replica is deleting are left to it.
   * @returns how many were deleted
   */
  async deleteReceivedBefore(time: Date, limit: number): Promise<number> {
    const [, deleted] = await this.dataSource.query<[unknown[], number]>(
      `delete from payment_event where ctid = any (array(
         select ctid from payment_event where received_at < $1 limit $2 for update skip locked))`,
      [time, limit],
    );
    return deleted;
  }
}
