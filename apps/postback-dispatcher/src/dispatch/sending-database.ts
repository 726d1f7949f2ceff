import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { connectPatiently, dataSourceOptions } from '@tandem/database';
import type { DataSource } from 'typeorm';
import { PostbackDispatcherConfig } from '../config';
import { DUE_READS } from './due-reads';

/** One connection for the results, and one for each read of due deliveries. */
const SENDING_CONNECTIONS = 1 + DUE_READS;
const OTHER_CONNECTIONS_MIN = 2;

/** The rest of a process's connections, for everything else. */
export const connectionsBesideSending = (poolMax = 10): number =>
  Math.max(OTHER_CONNECTIONS_MIN, poolMax - SENDING_CONNECTIONS);

/** How long a result waits for a locked row before the others of its batch are stored without it. */
const LOCK_TIMEOUT_MS = 250;

/**
 * The connections of sending: results never wait for a connection that a request, a consumer or a read of due deliveries holds.
 *
 * Due deliveries are read along an index in their order. According to the table's statistics almost nothing is ever due, so
 * Postgres would rather read and sort a whole backlog for each part: 100 ms instead of 2 for 100,000 rows. With sorting disabled, a statement that
 * must sort anyway has an estimate so high that it would be JIT-compiled first.
 */
@Injectable()
export class SendingDatabase implements OnModuleInit, OnApplicationShutdown {
  source!: DataSource;

  constructor(private readonly config: PostbackDispatcherConfig) {}

  async onModuleInit(): Promise<void> {
    this.source = await connectPatiently(
      dataSourceOptions({
        url: this.config.DATABASE_URL,
        applicationName: 'postback-dispatcher-sending',
        poolMax: SENDING_CONNECTIONS,
        settings: ['enable_sort=off', 'jit=off', `lock_timeout=${LOCK_TIMEOUT_MS}ms`],
      }),
    );
  }

  /** After everything that writes has stopped. */
  async onApplicationShutdown(): Promise<void> {
    await this.source?.destroy();
  }
}
