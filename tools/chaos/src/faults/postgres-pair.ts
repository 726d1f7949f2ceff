import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inRepository } from '@tandem/stack-client';
import type { Client } from 'pg';
import { withClient } from '../outcome';
import { NetworkLink } from '../replicas/network-link';
import { PostgresServer } from './postgres-server';
import { SmallDisk } from './small-disk';

const SETTINGS = {
  // A crashed server must keep the commits that it acknowledged. Here, only processes crash: the operating system still
  // has in its cache what they have written, so no write has to reach the disk.
  fsync: 'off',
  max_wal_size: '96MB',
  wal_keep_size: '64MB',
  wal_retrieve_retry_interval: '200',
};
const DISK_MB = 640;
const PATIENCE_MS = 120_000;

/**
 * A primary and a standby behind one address. A failover begins only while replication is synchronous: every commit that
 * the primary has acknowledged is then also on the standby, so the failover loses nothing.
 */
export class PostgresPair {
  private constructor(
    private primary: PostgresServer,
    private standby: PostgresServer,
    readonly link: NetworkLink,
    private readonly disks: ReadonlyMap<PostgresServer, SmallDisk>,
  ) {}

  /**
   * Starts the primary.
   * @param home an empty folder
   * @param hasSmallDisks whether each server gets a file system that can be filled
   * @throws when the primary does not start; no process and no mounted file system is then left
   */
  static async start(home: string, hasSmallDisks: boolean): Promise<PostgresPair> {
    const disks = new Map<PostgresServer, SmallDisk>();
    const [primary, standby] = ['a', 'b'].map((name) => {
      const folder = path.join(home, name);
      mkdirSync(folder, { recursive: true });
      return new PostgresServer(folder, path.join(home, `${name}.log`), SETTINGS);
    }) as [PostgresServer, PostgresServer];
    try {
      if (hasSmallDisks)
        for (const server of [primary, standby]) disks.set(server, SmallDisk.mount(server.folder, DISK_MB));
      await primary.start();
      return new PostgresPair(primary, standby, await NetworkLink.open(portOf(primary)), disks);
    } catch (error) {
      await primary.end('SIGQUIT');
      for (const disk of disks.values()) disk.unmount();
      throw error;
    }
  }

  /** The superuser's URL, with the address of the link, which stays the same after a failover. */
  get url(): string {
    return this.link.urlFor(this.primary.url);
  }

  /** Makes the other server a standby with a copy of the primary's data. `failOver` calls this method too. */
  async addStandby(): Promise<void> {
    await this.setSynchronous('');
    await copyServer(this.primary, this.standby.folder);
    const { username, password, port } = new URL(this.primary.url);
    await this.standby.start({
      primary_conninfo: `host=127.0.0.1 port=${port} user=${username} password=${decodeURIComponent(password)} application_name=standby`,
    });
    await this.isSynchronous('streaming', "state = 'streaming'");
    await this.setSynchronous('*');
    await this.isSynchronous('synchronous', "sync_state in ('sync', 'quorum')");
  }

  /** Crashes the primary (SIGKILL) or stops it immediately (SIGQUIT), and starts it again. */
  async restart(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void> {
    await this.primary.end(signal);
    await this.primary.start();
  }

  /**
   * Kills the primary, promotes the standby, and makes the killed server the new standby. Connections to the killed
   * primary are reset or, with `silently`, left open without notice.
   */
  async failOver({ silently }: { silently: boolean }): Promise<void> {
    await this.isSynchronous('synchronous', "sync_state in ('sync', 'quorum')");
    await this.primary.end('SIGKILL');
    await withClient(this.standby.url, (client) => client.query('select pg_promote(true, 60)'));
    this.link.retarget(portOf(this.standby));
    if (silently) this.link.abandon();
    else this.link.reset();
    [this.primary, this.standby] = [this.standby, this.primary];
    await this.addStandby();
  }

  /**
   * Fills the primary's disk, and frees it after some time. If the full disk has stopped the server, starts the server
   * again.
   */
  async fillDisk(durationMs: number): Promise<void> {
    const disk = this.disks.get(this.primary);
    if (!disk) throw new Error('this Postgres has no separate disk');
    disk.fill();
    await sleep(durationMs);
    disk.free();
    if (!this.primary.isRunning) await this.primary.start();
    await this.isSynchronous('synchronous', "sync_state in ('sync', 'quorum')");
  }

  async stop(): Promise<void> {
    await Promise.all([this.standby.end('SIGQUIT'), this.primary.end('SIGQUIT')]);
    for (const disk of this.disks.values()) disk.unmount();
    this.link.close();
  }

  private async setSynchronous(names: string): Promise<void> {
    await withClient(this.primary.url, async (client) => {
      await client.query(`alter system set synchronous_standby_names = '${names}'`);
      await client.query('select pg_reload_conf()');
    });
  }

  /**
   * Waits until the primary reports a standby that meets a condition. Keeps waiting while the primary refuses
   * connections, for example because it is recovering.
   * @param name the name of the awaited state, for the error
   * @param condition a condition on a row of pg_stat_replication
   * @throws after 2 minutes
   */
  private async isSynchronous(name: string, condition: string): Promise<void> {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(100)) {
      const rows = await withClient(this.primary.url, async (client) => {
        return (await client.query(`select 1 from pg_stat_replication where ${condition}`)).rowCount;
      }).catch(() => 0);
      if (rows) return;
      if (Date.now() > deadline) throw new Error(`the standby was not ${name} in ${PATIENCE_MS} ms`);
    }
  }
}

const portOf = (server: PostgresServer): number => Number(new URL(server.url).port);

/** Copies a running server's data to the folder of another server. */
async function copyServer(source: PostgresServer, folder: string): Promise<void> {
  const data = path.join(folder, 'data');
  rmSync(data, { recursive: true, force: true });
  copyFileSync(path.join(source.folder, 'password'), path.join(folder, 'password'));
  const { takeBaseBackup } = (await import(pathToFileURL(inRepository('tools/postgres/base-backup.mjs')).href)) as {
    takeBaseBackup(client: Client, to: string, label: string): Promise<unknown>;
  };
  await withClient(source.url, (client) => takeBaseBackup(client, data, 'standby'));
  writeFileSync(path.join(data, 'standby.signal'), '');
}
