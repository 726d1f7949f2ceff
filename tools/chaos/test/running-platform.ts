import { AssignerProtocol, Kafka, logLevel } from 'kafkajs';
import { arrivalOfAll, salesIn, withClient } from '../src/outcome';
import { PurchaseStream, type PurchaseTarget } from '../src/purchases';
import { Fleet } from '../src/replicas/fleet';
import { Sink } from '../src/sink';
import { ChaosStack } from '../src/stack';
import { judge, type Verdict } from '../src/verdict';

/** The whole platform on Kafka, with several processes of each app. The promotion partner's endpoint is in this process. */
export class RunningPlatform {
  private constructor(
    readonly stack: ChaosStack,
    readonly fleet: Fleet,
    private readonly sink: Sink,
    private readonly target: PurchaseTarget,
  ) {}

  static async start(replicasOf: (app: string) => number): Promise<RunningPlatform> {
    const stack = await ChaosStack.start('kafka', () => undefined, { withoutApps: true });
    try {
      const sink = new Sink();
      const fleet = await Fleet.start(stack, { replicasOf });
      return new RunningPlatform(stack, fleet, sink, await stack.usePostbackEndpoint(await sink.listen()));
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.fleet.stop();
    this.sink.close();
    await this.stack.stop();
  }

  /**
   * Makes purchases while `work` runs, and waits until all postbacks have arrived, or until a time limit.
   * @returns the verdict and the ids of the purchases
   */
  async buyDuring(perSecond: number, work: () => Promise<void>): Promise<{ verdict: Verdict; oids: string[] }> {
    const purchases = new PurchaseStream(this.target);
    purchases.start(perSecond);
    try {
      await work();
    } finally {
      await purchases.finish();
    }
    await arrivalOfAll(purchases, this.sink);
    const oids = purchases.accepted.map(({ oid }) => oid);
    const own = new Set(oids);
    const sales = (await salesIn(this.stack.postgresUrl)).filter(({ oid }) => own.has(oid));
    const arrivals = new Map([...this.sink.arrivals].filter(([oid]) => own.has(oid)));
    return { verdict: judge(purchases.accepted, sales, arrivals), oids };
  }

  /** Reads rows of any schema, as a superuser. */
  query<Row extends object>(sql: string): Promise<Row[]> {
    return withClient(this.stack.postgresUrl, async (client) => (await client.query<Row>(sql)).rows);
  }

  /** Returns how many partitions of each topic each member of a consumer group has. */
  async partitionsOf(group: string): Promise<Record<string, number[]>> {
    const admin = this.kafka().admin();
    await admin.connect();
    try {
      const { groups } = await admin.describeGroups([group]);
      const members = (groups[0]?.members ?? []).map(
        ({ memberAssignment }) => AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment ?? {},
      );
      const topics = new Set(members.flatMap((assignment) => Object.keys(assignment)));
      return Object.fromEntries(
        [...topics].map((topic) => [topic, members.map((assignment) => assignment[topic]?.length ?? 0).sort()]),
      );
    } finally {
      await admin.disconnect();
    }
  }

  /** Returns the ids of a topic's events by key. An event that was published again has the same id. */
  async eventIdsOf(topic: string): Promise<Map<string, Set<string>>> {
    const kafka = this.kafka();
    const [admin, consumer] = [kafka.admin(), kafka.consumer({ groupId: `reader-${process.pid}-${Date.now()}` })];
    await Promise.all([admin.connect(), consumer.connect()]);
    try {
      const offsets = await admin.fetchTopicOffsets(topic);
      let left = offsets.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0);
      const ids = new Map<string, Set<string>>();
      await consumer.subscribe({ topic, fromBeginning: true });
      await new Promise<void>((resolve, reject) => {
        if (left === 0) return resolve();
        const eachMessage = async ({ message: { key, headers } }: { message: { key: unknown; headers?: object } }) => {
          const id = String((headers as Record<string, unknown>)['ce_id']);
          ids.set(String(key), (ids.get(String(key)) ?? new Set()).add(id));
          if (--left === 0) resolve();
        };
        consumer.run({ eachMessage }).catch(reject);
      });
      return ids;
    } finally {
      await Promise.all([admin.disconnect(), consumer.disconnect()]);
    }
  }

  private kafka(): Kafka {
    const brokers = this.stack.file.kafka?.brokers.split(',') ?? [];
    return new Kafka({ brokers, clientId: 'replicas-test', logLevel: logLevel.NOTHING });
  }
}
