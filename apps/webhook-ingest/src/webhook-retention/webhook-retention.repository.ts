import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Deletes what is old. */
@Injectable()
export class WebhookRetentionRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Deletes up to `limit` webhooks that were received before a time. Rows that another replica is deleting are left to it.
   * @returns how many were deleted
   */
  deleteReceivedBefore(time: Date, limit: number): Promise<number> {
    return this.deleteSome('inbound_webhook', 'received_at', time, limit);
  }

  /** The same for claims, which are of no effect any more. */
  deleteClaimedBefore(time: Date, limit: number): Promise<number> {
    return this.deleteSome('webhook_claim', 'claimed_at', time, limit);
  }

  private async deleteSome(table: string, column: string, time: Date, limit: number): Promise<number> {
    const [, deleted] = await this.dataSource.query<[unknown[], number]>(
      `delete from ${table} where ctid = any (array(
         select ctid from ${table} where ${column} < $1 limit $2 for update skip locked))`,
      [time, limit],
    );
    return deleted;
  }
}
