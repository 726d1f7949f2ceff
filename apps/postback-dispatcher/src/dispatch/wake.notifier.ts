import { BeforeApplicationShutdown, Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { OutageLog } from '@tandem/messaging';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { PostbackDispatcherConfig } from '../config';

export const WAKE_CHANNEL = 'postback_wake';
const RECONNECT_MS = 1_000;

/**
 * What replicas tell each other. `due`: an endpoint has something to send. `changed`: its configuration was saved. `stopped`: a
 * delivery must not be sent any more. `shards`: some are free. And to this one alone, `listening`: what was said before may have
 * been missed.
 */
export type WakeMessage =
  | { readonly kind: 'due'; readonly endpointId: string; readonly shard: number }
  | { readonly kind: 'changed'; readonly endpointId: string }
  | { readonly kind: 'stopped'; readonly endpointId: string; readonly deliveryId: string }
  | { readonly kind: 'shards' }
  | { readonly kind: 'listening' };

/**
 * Wakes other replicas by NOTIFY: after commits, on connections of its own, many at once. Only a shortcut: what gets lost here is
 * found by the next sweep or heartbeat. `stopped` alone is notified by the transaction that stops the delivery: it must not get lost.
 */
@Injectable()
export class WakeNotifier implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('wake');
  private readonly wakeOutage = new OutageLog(this.logger, {
    away: 'replicas cannot be woken; they sweep',
    back: 'replicas are woken again',
  });
  private readonly listenOutage = new OutageLog(this.logger, {
    away: 'not listening to other replicas; only sweeping',
    back: 'listening to other replicas again',
  });
  private readonly pending = new Set<string>();
  private sending: Promise<void> | null = null;
  private client: Client | undefined;
  private stopped = false;
  private reconnect: NodeJS.Timeout | undefined;
  private receive: (message: WakeMessage) => void = () => undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly config: PostbackDispatcherConfig,
  ) {}

  onApplicationBootstrap(): void {
    void this.listen();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.reconnect);
    await this.client?.end().catch(() => undefined);
  }

  /** Sets who gets the messages, those of other replicas and changes made in this process. */
  onMessage(receive: (message: WakeMessage) => void): void {
    this.receive = receive;
  }

  /** After a save: this process uses the new configuration from now on, the others as soon as they hear of it. */
  configurationChanged(endpointId: string): void {
    this.receive({ kind: 'changed', endpointId });
    void this.send(`changed ${endpointId}`);
  }

  /** After a commit that made something due for an endpoint whose shard this process does not own. */
  due({ id, shard }: { readonly id: string; readonly shard: number }): void {
    void this.send(`due ${id} ${shard}`);
  }

  /** After shards were given back. */
  shardsFree(): Promise<void> {
    return this.send('shards');
  }

  /** @returns when it is sent, or is known to be lost */
  private send(payload: string): Promise<void> {
    this.pending.add(payload);
    return (this.sending ??= this.sendPending().finally(() => (this.sending = null)));
  }

  private async sendPending(): Promise<void> {
    try {
      while (this.pending.size > 0) {
        const payloads = [...this.pending];
        this.pending.clear();
        const notify = `select pg_notify('${WAKE_CHANNEL}', payload) from unnest($1::text[]) payload`;
        await this.dataSource.query(notify, [payloads]);
        this.wakeOutage.succeeded();
      }
    } catch (error) {
      this.wakeOutage.failed({ reason: (error as Error).message });
    }
  }

  private async listen(): Promise<void> {
    if (this.stopped) return;
    const client = new Client({
      connectionString: this.config.DATABASE_URL,
      application_name: 'postback-dispatcher-wake',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    this.client = client;
    client.on('notification', ({ payload = '' }) => this.received(payload));
    client.on('error', () => undefined);
    client.on('end', () => this.listenAgain(client));
    try {
      await client.connect();
      await client.query(`listen ${WAKE_CHANNEL}`);
      this.listenOutage.succeeded();
      this.receive({ kind: 'listening' });
    } catch (error) {
      if (!this.stopped) this.listenOutage.failed({ reason: (error as Error).message });
      await client.end().catch(() => undefined);
      this.listenAgain(client);
    }
  }

  private listenAgain(client: Client): void {
    if (this.stopped || this.client !== client) return;
    this.client = undefined;
    this.reconnect = setTimeout(() => void this.listen(), RECONNECT_MS);
  }

  private received(payload: string): void {
    const [kind, endpointId, detail = ''] = payload.split(' ');
    if (kind === 'shards') this.receive({ kind });
    else if (endpointId === undefined) return;
    else if (kind === 'changed') this.receive({ kind, endpointId });
    else if (kind === 'due') this.receive({ kind, endpointId, shard: Number(detail) });
    else if (kind === 'stopped') this.receive({ kind, endpointId, deliveryId: detail });
  }
}
