import { closeClient } from '@tandem/database';
import { openConnection } from '@tandem/event-bus';
import type { Client } from 'pg';
import type { Queryable } from './outbox.repository';

const CHANNEL = 'outbox_relay';
/**
 * After this time without a statement, the server ends the connection. By default, a relay sends a statement at least
 * once a second, so a process whose connection is idle for 10 s hangs or has vanished. `relayIdleMs` and
 * `relayStandbyMs` must be shorter than this time. If a stopping relay waits longer than this time for a send, another
 * process may publish the rows of this send again, as after a crash.
 */
const IDLE_SESSION_MS = 10_000;

/**
 * The right to publish this app's outbox: a Postgres session lock on a separate connection. When the leader dies, its
 * connection ends, which releases the lock. When the leader hangs, the server ends the connection. When only the
 * connection ends, the leader can neither read nor remove rows, and stops publishing until it leads again.
 */
export class RelayLeadership {
  private client?: Client;
  private leads = false;
  private schema = '';
  private notifying = false;
  private notifyAgain = false;

  /**
   * @param onSignal called when another process of the app reports added events, and when the connection (and with it
   *   the leadership) is lost
   */
  constructor(
    private readonly url: string,
    private readonly applicationName: string,
    private readonly onSignal: () => void,
  ) {}

  get isLeader(): boolean {
    return this.leads;
  }

  /** The connection that holds the lock. @throws when this process does not lead */
  get connection(): Queryable {
    if (!this.client || !this.leads) throw new Error('this process does not lead the relay');
    return this.client;
  }

  /**
   * Tries to take the lock, and does not wait for it: a waiting statement would hold a snapshot, which keeps vacuum
   * from removing dead rows of any table.
   *
   * @returns whether this process leads now
   */
  async tryToLead(): Promise<boolean> {
    if (this.leads) return true;
    const client = this.client ?? (await this.connect());
    const { rows } = await client.query<{ led: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended('tandem.outbox-relay.' || current_schema(), 0)) AS led`,
    );
    this.leads = rows[0]?.led === true && this.client === client;
    return this.leads;
  }

  /**
   * Notifies the leader, which is another process, that events were added. The notification is only a hint: without it,
   * the leader finds the events at its next poll. The notification is sent after the commit, on this standby's own
   * connection, because notifications within transactions serialize the commits.
   */
  notifyLeader(): void {
    this.notifyAgain = this.notifying;
    if (this.notifying || !this.client || this.leads || this.schema === '') return;
    this.notifying = true;
    this.client
      .query('SELECT pg_notify($1, $2)', [CHANNEL, this.schema])
      .catch(() => undefined)
      .finally(() => {
        this.notifying = false;
        if (this.notifyAgain) this.notifyLeader();
      });
  }

  /** Resigns leadership by closing the connection. */
  async resign(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.leads = false;
    if (client) await closeClient(client);
  }

  private async connect(): Promise<Client> {
    const client = await openConnection(this.url, this.applicationName, () => {
      if (this.client !== client) return;
      this.client = undefined;
      this.leads = false;
      this.onSignal();
    });
    this.client = client;
    client.on('notification', ({ payload }) => {
      if (payload === this.schema) this.onSignal();
    });
    const { rows } = await client.query<{ schema: string }>('SELECT current_schema() AS schema');
    this.schema = rows[0]?.schema ?? '';
    await client.query(`LISTEN ${CHANNEL}`);
    // Commits of this session need not wait for the disk, because the session only removes published rows, or moves rows
    // to the bus in the same database. If a crash of the server undoes a removal, the event is published again, and the
    // inbox skips it. If a crash undoes a move, the rows are in the outbox again.
    await client.query('SET synchronous_commit = off');
    // Query plans must not depend on the statistics of the outbox: it is a queue, so its statistics are outdated within
    // a minute. The only good plan is an index scan, so other scans and sorts are disabled. If a statement still needs
    // one of them, Postgres estimates an immense cost, and would compile the plan to machine code (JIT). Compiling
    // takes longer than the statement itself, so JIT is disabled too.
    await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; SET jit = off');
    await client.query('SET plan_cache_mode = force_generic_plan');
    // When a process hangs, its kernel still answers keepalives. So only this limit ends the connection, which releases
    // the lock.
    await client.query(`SET idle_session_timeout = ${IDLE_SESSION_MS}`);
    return client;
  }
}
