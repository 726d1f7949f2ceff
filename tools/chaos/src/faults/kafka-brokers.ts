import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRepository } from '@tandem/stack-client';
import { Kafka, logLevel } from 'kafkajs';
import { NetworkLink } from '../replicas/network-link';
import { SmallDisk } from './small-disk';

const DISK_MB = 512;
const BROKERS = [1, 2, 3];
const MOVE_TIMEOUT_MS = 120_000;
/**
 * Kafka's defaults. The shorter timeouts, which `tools/kafka/cluster.mjs` sets for tests, cause endless elections on a
 * busy machine.
 */
const SETTINGS = ['controller.quorum.election.timeout.ms=1000', 'controller.quorum.fetch.timeout.ms=2000'];
type Action = 'kill' | 'terminate' | 'start';

/** Three Kafka brokers, each behind its own network link. Acknowledged events are on at least two of them. */
export class KafkaBrokers {
  private constructor(
    private readonly cluster: ChildProcess,
    readonly links: readonly NetworkLink[],
    private readonly disks: readonly SmallDisk[],
  ) {}

  /**
   * Starts the brokers.
   * @param home an empty folder
   * @param hasSmallDisks whether each broker gets a file system that can be filled
   * @throws when the brokers do not start; no process, link or mounted file system is then left
   */
  static async start(home: string, hasSmallDisks: boolean): Promise<KafkaBrokers> {
    const disks: SmallDisk[] = [];
    const links: NetworkLink[] = [];
    let brokers: KafkaBrokers | undefined;
    try {
      if (hasSmallDisks)
        for (const broker of BROKERS) disks.push(SmallDisk.mount(path.join(home, String(broker)), DISK_MB));
      // The brokers advertise the ports of the links to their clients, so the links are opened first.
      while (links.length < BROKERS.length) links.push(await NetworkLink.open(0));
      const ports = links.map(({ port }) => String(port));
      const cluster = fork(inRepository('tools/kafka/cluster.mjs'), [home, ...ports, ...SETTINGS], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        execArgv: [],
        detached: true, // Ctrl-C reaches only this process, which ends the servers
      });
      brokers = new KafkaBrokers(cluster, links, disks);
      const [message] = (await Promise.race([
        once(cluster, 'message'),
        once(cluster, 'exit').then(() => Promise.reject(new Error('the Kafka cluster could not be started'))),
      ])) as [{ brokers: string[] }];
      message.brokers.forEach((broker, index) => links[index]?.retarget(Number(broker.split(':')[1])));
      return brokers;
    } catch (error) {
      if (brokers) await brokers.stop();
      else {
        for (const disk of disks) disk.unmount();
        for (const link of links) link.close();
      }
      throw error;
    }
  }

  /** The addresses at which clients reach the brokers, separated by commas. */
  get addresses(): string {
    return this.links.map(({ port }) => `127.0.0.1:${port}`).join(',');
  }

  /** Kills a broker and starts it again. @param broker from 1 */
  async restart(broker: number): Promise<void> {
    await this.act(broker, 'kill');
    await this.act(broker, 'start');
  }

  /**
   * Kills two of the three brokers for some time: meanwhile no event can be acknowledged, and no leader can be elected.
   */
  async takeTwo(durationMs: number): Promise<void> {
    await Promise.all([1, 2].map((broker) => this.act(broker, 'kill')));
    await sleep(durationMs);
    await Promise.all([1, 2].map((broker) => this.act(broker, 'start')));
  }

  /**
   * Fills a broker's disk, frees it after some time, and restarts the broker, which usually stops when its disk is full.
   */
  async fillDisk(broker: number, durationMs: number): Promise<void> {
    const disk = this.disks[broker - 1];
    if (!disk) throw new Error('this broker has no separate disk');
    disk.fill();
    await sleep(durationMs);
    disk.free();
    await this.restart(broker);
  }

  /**
   * Gives every partition, except those of Kafka's internal topics, the next of its replicas as its preferred leader.
   * Kafka then moves the leadership to this replica. Retries for up to 2 minutes, because the network of a broker may
   * be disturbed.
   */
  async moveLeaders(): Promise<void> {
    for (const deadline = Date.now() + MOVE_TIMEOUT_MS; ;) {
      try {
        return await this.reassignAll();
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
    }
  }

  async stop(): Promise<void> {
    if (this.cluster.exitCode === null && this.cluster.signalCode === null) {
      this.cluster.disconnect();
      await once(this.cluster, 'exit');
    }
    for (const disk of this.disks) disk.unmount();
    for (const link of this.links) link.close();
  }

  private async reassignAll(): Promise<void> {
    const admin = new Kafka({
      brokers: this.addresses.split(','),
      clientId: 'chaos',
      logLevel: logLevel.NOTHING,
    }).admin();
    await admin.connect();
    try {
      const { topics } = await admin.fetchTopicMetadata();
      await admin.alterPartitionReassignments({
        topics: topics
          .filter(({ name }) => !name.startsWith('__'))
          .map(({ name, partitions }) => ({
            topic: name,
            partitionAssignment: partitions.map(({ partitionId, replicas }) => ({
              partition: partitionId,
              replicas: [...replicas.slice(1), ...replicas.slice(0, 1)],
            })),
          })),
      });
    } finally {
      await admin.disconnect();
    }
  }

  /**
   * Makes the cluster perform an action on a broker. Actions end in any order, so each call waits for the answer to its
   * own action.
   */
  private async act(broker: number, action: Action): Promise<void> {
    const node = broker - 1;
    const done = new Promise<void>((resolve, reject) => {
      const onMessage = (message: { node?: number; done?: Action; error?: string }): void => {
        if (message.node !== node || message.done !== action) return;
        this.cluster.off('message', onMessage);
        if (message.error === undefined) resolve();
        else reject(new Error(message.error));
      };
      this.cluster.on('message', onMessage);
    });
    this.cluster.send({ node, action });
    await done;
  }
}
