import { BeforeApplicationShutdown, Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { PostbackDispatcherConfig } from '../config';

const CHANNEL = 'postback_wake';
const RECONNECT_MS = 1_000;

/** What replicas tell each other. `due`: an endpoint has something to send. `changed`: its configuration was saved. */
export interface WakeMessage {
  readonly kind: 'due' | 'changed';
  readonly endpointId: string;
  /** The replica that owns the endpoint, or null when nobody does. */
  readonly owner: string | null;
}

/**
 * Wakes other replicas by NOTIFY: after commits, on connections of its own, many at once. Only a shortcut: what gets lost
 * here is found later: by the poll for endpoints that nobody owns, and by their owner when it looks at its line again.
 */
@Injectable()
export class WakeNotifier implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('wake');
  private readonly pending = new Set<string>();
  private sending = false;
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
    this.receive({ kind: 'changed', endpointId, owner: null });
    this.send({ kind: 'changed', endpointId, owner: null });
  }

  /** After a commit that added a delivery to an endpoint of another replica, or of none. */
  due(endpointId: string, owner: string | null): void {
    this.send({ kind: 'due', endpointId, owner });
  }

  private send({ kind, endpointId, owner }: WakeMessage): void {
    this.pending.add(`${kind} ${endpointId} ${owner ?? '-'}`);
    if (!this.sending) void this.sendPending();
  }

  private async sendPending(): Promise<void> {
    this.sending = true;
    try {
      while (this.pending.size > 0) {
        const payloads = [...this.pending];
        this.pending.clear();
        await this.dataSource.query(`select pg_notify('${CHANNEL}', payload) from unnest($1::text[]) payload`, [
          payloads,
        ]);
      }
    } catch (error) {
      this.logger.warn({ msg: 'replicas could not be woken; they poll', reason: (error as Error).message });
    } finally {
      this.sending = false;
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
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      this.logger.warn({ msg: 'not listening to other replicas; polling', reason: (error as Error).message });
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
    const [kind, endpointId, owner] = payload.split(' ');
    if ((kind !== 'due' && kind !== 'changed') || endpointId === undefined) return;
    this.receive({ kind, endpointId, owner: owner === undefined || owner === '-' ? null : owner });
  }
}
