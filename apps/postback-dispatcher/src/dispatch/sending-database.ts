import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { connectPatiently, dataSourceOptions } from '@tandem/database';
import type { DataSource } from 'typeorm';
import { PostbackDispatcherConfig } from '../config';
import { DUE_READS } from './due-reads';

/** One connection for the results, and one for each read of due deliveries. */
const SENDING_CONNECTIONS = 1 + DUE_READS;
const OTHER_CONNECTIONS_MIN = 2;

/** Returns how many of `poolMax` connections are left for everything except sending: at least OTHER_CONNECTIONS_MIN. */
export const connectionsBesideSending = (poolMax = 10): number =>
  Math.max(OTHER_CONNECTIONS_MIN, poolMax - SENDING_CONNECTIONS);

/** How long a batch of results waits for a locked row. After that, the results whose rows are not locked are stored alone. */
const LOCK_TIMEOUT_MS = 250;

/**
 * Keeps separate connections for sending, so that results never wait for a connection that a request, a consumer or a read of due
 * deliveries uses.
 *
 * Sorting is disabled, so that due deliveries are read in the order of an index. Otherwise, each read would make Postgres sort the whole
 * backlog of the endpoint, because the table's statistics say that almost no rows are due. JIT is disabled too: while sorting is disabled,
 * a statement that must sort gets such a high cost estimate that Postgres would compile the statement first.
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

  /** Closes the connections. Nest calls this method after everything that writes has stopped. */
  async onApplicationShutdown(): Promise<void> {
    await this.source?.destroy();
  }
}
