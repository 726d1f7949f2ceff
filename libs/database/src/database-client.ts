import { withoutContext } from '@tandem/batching';
import { Client, type ClientConfig } from 'pg';
import { DeadlineExceededError, isDeadlinePassed } from './deadline';

const ours = new WeakSet<object>();

/** Whether this error object was thrown by a connection to the database. */
export const isOfDatabase = (error: object): boolean => ours.has(error);

/** Marks an error, and its nested errors (one per address that was tried), as errors of a connection to the database. */
function mark<E>(error: E): E {
  if (typeof error !== 'object' || error === null || ours.has(error)) return error;
  ours.add(error);
  const { errors } = error as { errors?: unknown };
  if (Array.isArray(errors)) errors.forEach(mark);
  return error;
}

type Callback = (error: unknown, result?: unknown) => void;

/** The message of pg's error when a query exceeds the client's time limit. */
export const READ_TIMEOUT = 'Query read timeout';

/** The SQLSTATE of a statement that writes in a read-only transaction (read_only_sql_transaction). */
export const READ_ONLY = '25006';

/**
 * Returns an SQL condition that is always true. In a read-only transaction, Postgres does not run a statement with this
 * condition, but fails with the code `READ_ONLY`. So a caller that must write later notices at once that its server
 * accepts only reads. The condition locks no row, but takes a ROW SHARE lock on the table. So the statement waits while
 * a transaction holds an EXCLUSIVE or ACCESS EXCLUSIVE lock, or waits for one, as `ALTER TABLE` and `VACUUM FULL` do. A
 * statement that must not wait can read the setting `transaction_read_only` instead.
 *
 * @param table a table that the role may update
 */
export const canWrite = (table: string): string => `NOT EXISTS (SELECT FROM ${table} WHERE false FOR KEY SHARE)`;

/**
 * The event that a connection emits when its server can probably not serve it any more:
 * - A statement got no answer within the client's default time limit. This limit is longer than the server's own limit,
 *   so the server has probably vanished. But the limit is also exceeded if the statement waits long behind other
 *   statements, or if this process was suspended.
 * - A statement could not write. If the server is a primary that has become a standby, only a new connection finds the
 *   new primary.
 */
export const UNUSABLE = 'unusable';

/** How long `closeClient` waits for the server before it closes the socket, ms. */
const GOODBYE_MS = 500;
const COMMIT = /^\s*commit\b/i;

/**
 * A connection to Postgres, alone or as the `Client` of a pool. Its socket errors count for `isDatabaseUnavailable`.
 * The connection is opened outside of every request's `AsyncLocalStorage` context. The connection refuses the commits of a
 * request whose deadline has passed, or whose caller has disconnected.
 */
export class DatabaseClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    // A broken connection can emit `error` more than once, even after its release to the pool. Without a listener, such
    // an error would end the process.
    this.on('error', () => undefined);
  }

  override connect(): Promise<Client>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<Client> | void {
    if (callback) return withoutContext(() => super.connect((error: unknown) => callback(mark(error), this)));
    return withoutContext(() => super.connect()).catch((error: unknown) => {
      throw mark(error);
    });
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- pg's overloads: a statement, its values, a callback
  override query(...parameters: any[]): any {
    const callback = parameters.at(-1) as unknown;
    const tooLate = isTooLate(parameters[0]);
    if (typeof callback === 'function') {
      const answer: Callback = (error, result) => void callback(this.reported(error, parameters[0]), result);
      if (tooLate) return void process.nextTick(answer, new DeadlineExceededError());
      return this.run([...parameters.slice(0, -1), answer]);
    }
    if (tooLate) return Promise.reject(new DeadlineExceededError());
    const running = this.run(parameters);
    if (!(running instanceof Promise)) return running;
    return running.catch((error: unknown) => {
      throw this.reported(error, parameters[0]);
    });
  }

  /**
   * Marks an error as an error of the database. Emits `UNUSABLE` in two cases: a statement could not write, or a
   * statement without a time limit of its own got no answer.
   */
  private reported<E>(error: E, statement: unknown): E {
    const hasOwnLimit = (statement as { query_timeout?: number }).query_timeout !== undefined;
    const { code, message } = (error ?? {}) as { code?: string; message?: string };
    if (code === READ_ONLY || (!hasOwnLimit && message === READ_TIMEOUT)) this.emit(UNUSABLE);
    return mark(error);
  }

  /**
   * Sends a statement, in one packet with the statements that are started together with it, because each packet costs
   * both sides a system call.
   */
  private run(parameters: unknown[]): unknown {
    const { stream } = this.connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
    return (super.query as (...all: unknown[]) => unknown).apply(this, parameters);
  }
}

const isTooLate = (statement: unknown): boolean =>
  isDeadlinePassed() && typeof statement === 'string' && COMMIT.test(statement);

/**
 * Settings with which the server detects within half a minute that a client's machine has vanished. Without them, the
 * server needs more than two hours, and keeps the client's session locks until then.
 */
const KEEPALIVES = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/**
 * Opens a connection outside of any pool. The server ends it within half a minute when this machine vanishes, so that
 * the session's locks are released.
 *
 * @throws the error of the connection. `isDatabaseUnavailable` recognizes it if the server cannot be reached
 */
export async function openClient(config: ClientConfig): Promise<DatabaseClient> {
  const client = new DatabaseClient({ ...config, options: `${KEEPALIVES} ${config.options ?? ''}` });
  try {
    await client.connect();
    return client;
  } catch (error) {
    await closeClient(client);
    throw error;
  }
}

/**
 * Ends a connection whose server may no longer answer: waits up to `GOODBYE_MS` for a graceful end, then closes the
 * socket.
 */
export async function closeClient(client: Client): Promise<void> {
  const cut = setTimeout(() => client.connection.stream.destroy(), GOODBYE_MS);
  await client.end().catch(() => undefined);
  clearTimeout(cut);
}
