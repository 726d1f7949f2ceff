import { mkdtempSync, rmSync, chmodSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { APPS } from '../../../../apps/apps';
import type { Replica } from '../replica';
import { Fleet } from '../replicas/fleet';
import { NetworkLink } from '../replicas/network-link';
import { UNLIMITED } from '../replicas/under-load';
import type { Sink } from '../sink';
import { ChaosStack } from '../stack';
import { KafkaBrokers } from './kafka-brokers';
import type { FaultChoice } from './plan';
import { PostgresPair } from './postgres-pair';

const READY_TIMEOUT_MS = 300_000;

/** Settings that make postback-dispatcher retry postbacks quickly, because the run waits for the last postback. */
const IMPATIENT = {
  POSTBACK_RETRY_SCHEDULE_SECONDS: ['0', ...Array.from({ length: 200 }, () => '1')].join(),
  POSTBACK_BREAKER_MAX_PAUSE_MS: '2000',
};

/** The parts of a platform. While the platform starts, the parts that start later do not exist yet. */
interface Parts {
  readonly home: string;
  /** The links, by the names that `linksOf` in plan.ts returns. */
  readonly links: Map<string, NetworkLink>;
  postgres: PostgresPair;
  kafka: KafkaBrokers | null;
  stack: ChaosStack;
  fleet: Fleet;
}

/**
 * A platform whose parts can be broken: the replicas of every app, Postgres, the Kafka brokers, and the network between
 * them.
 */
export class World {
  readonly stack: ChaosStack;
  readonly fleet: Fleet;
  readonly postgres: PostgresPair;
  readonly kafka: KafkaBrokers | null;

  private constructor(private readonly parts: Parts) {
    ({ stack: this.stack, fleet: this.fleet, postgres: this.postgres, kafka: this.kafka } = parts);
  }

  /**
   * Starts the platform.
   * @param report receives lines about the progress of the startup
   * @param sink the partner's endpoint
   * @param signal ends the startup
   * @throws when a part does not start, or `signal` is aborted; nothing of the platform is left
   */
  static async start(
    choice: FaultChoice,
    report: (line: string) => void,
    sink: Sink,
    signal: AbortSignal,
  ): Promise<World> {
    const parts: Partial<Parts> & Pick<Parts, 'home' | 'links'> = {
      home: mkdtempSync(path.join(tmpdir(), 'tandem-faults-')),
      links: new Map(),
    };
    try {
      return new World(await startParts(parts, choice, report, sink, signal));
    } catch (error) {
      await stopParts(parts, false).catch(() => undefined); // must not hide the error of the startup
      throw error;
    }
  }

  /** The URL at which the platform reaches the partner's endpoint. */
  get endpointUrl(): string {
    return this.link("partner's endpoint").urlFor('http://127.0.0.1/postback');
  }

  link(name: string): NetworkLink {
    return found(this.parts.links.get(name), name);
  }

  /** Returns a replica. @param name such as `idp-api 2` */
  replica(name: string): Replica {
    const [app = '', number] = name.split(' ');
    return found(this.fleet.replicasOf(app)[Number(number) - 1], name);
  }

  /** Waits until a replica is ready again in a new process. @param formerPid the id of the process that was ended */
  async isBack(replica: Replica, formerPid: number): Promise<void> {
    for (const deadline = Date.now() + READY_TIMEOUT_MS; ; await sleep(50)) {
      const { pid, ready } = replica.state;
      if (ready && pid !== formerPid) return;
      if (Date.now() > deadline) throw new Error(`${replica.url} was not back in ${READY_TIMEOUT_MS} ms`);
    }
  }

  /**
   * Waits until every replica answers `/readyz` with 200.
   * @throws Error after 5 minutes, with the replicas that are not ready and their answers
   */
  async isReady(): Promise<void> {
    for (const deadline = Date.now() + READY_TIMEOUT_MS; ; await sleep(500)) {
      const states = await Promise.all(APPS.flatMap(({ name }) => this.fleet.replicasOf(name).map(stateOf(name))));
      const late = states.filter((state) => state !== null);
      if (late.length === 0) return;
      if (Date.now() > deadline) throw new Error(`not ready after the faults: ${late.join('; ')}`);
    }
  }

  /** Stops everything. @returns the folder with the stack's logs if `keep` is true, otherwise null */
  stop(keep: boolean): Promise<string | null> {
    return stopParts(this.parts, keep);
  }
}

/** Starts the parts, and enters each into `parts` as soon as it runs. */
async function startParts(
  parts: Partial<Parts> & Pick<Parts, 'home' | 'links'>,
  choice: FaultChoice,
  report: (line: string) => void,
  sink: Sink,
  signal: AbortSignal,
): Promise<Parts> {
  const { home, links } = parts;
  chmodSync(home, 0o755); // when this process runs as root, Postgres runs as another account
  const [postgresHome, kafkaHome] = ['postgres', 'kafka'].map((name) => path.join(home, name)) as [string, string];
  for (const folder of [postgresHome, kafkaHome]) mkdirSync(folder, { mode: 0o755 });
  report(`servers: Postgres with a standby${choice.bus === 'kafka' ? ', three Kafka brokers' : ''}`);
  const starting = [
    PostgresPair.start(postgresHome, choice.hasSmallDisks).then((pair) => (parts.postgres = pair)),
    choice.bus === 'kafka'
      ? KafkaBrokers.start(kafkaHome, choice.hasSmallDisks).then((brokers) => (parts.kafka = brokers))
      : null,
  ] as const;
  await Promise.allSettled(starting);
  const [postgres, kafka] = await Promise.all(starting);
  signal.throwIfAborted();
  const env = {
    TANDEM_POSTGRES_URL: postgres.url,
    ...(kafka && { KAFKA_BROKERS: kafka.addresses }),
  };
  const stack = (parts.stack = await ChaosStack.start(choice.bus, report, { withoutApps: true, env, signal }));
  await postgres.addStandby();
  kafka?.links.forEach((link, index) => links.set(`network of broker ${index + 1}`, link));
  const endpoint = await NetworkLink.open(Number(new URL(await sink.listen()).port));
  links.set("partner's endpoint", endpoint);
  const vendor = await NetworkLink.open(Number(new URL(stack.file.sandbox.vendor).port));
  links.set('identity vendor', vendor);
  for (const { name } of APPS) links.set(`store of ${name}`, await NetworkLink.open(postgres.link.port));
  signal.throwIfAborted();
  const fleet = (parts.fleet = await Fleet.start(stack, {
    replicasOf: () => choice.replicas,
    portOf: () => 0,
    envOf: (app) => {
      const own = stack.replicaOf(app).env;
      const store = links.get(`store of ${app}`) as NetworkLink;
      return {
        ...UNLIMITED,
        ...IMPATIENT,
        KAFKA_SESSION_TIMEOUT_MS: '3500', // as npm start and docker compose set it for their own brokers
        DATABASE_URL: store.urlFor(String(own['DATABASE_URL'])),
        BUS_DATABASE_URL: store.urlFor(String(own['BUS_DATABASE_URL'])),
        VENDOR_URL: vendor.urlFor(String(own['VENDOR_URL'])),
      };
    },
  }));
  for (const { name } of APPS) {
    const port = Number(new URL(stack.urlOf(name)).port);
    links.set(`requests to ${name}`, await NetworkLink.open(fleet.portOf(name), port));
  }
  signal.throwIfAborted();
  return { ...parts, postgres, kafka, stack, fleet };
}

/**
 * Stops the parts that run, each before the parts that it needs. When a part cannot be stopped, the others are stopped
 * nevertheless.
 * @throws the first error, after all parts were stopped
 */
async function stopParts(
  { home, links, postgres, kafka, stack, fleet }: Partial<Parts> & Pick<Parts, 'home' | 'links'>,
  keep: boolean,
): Promise<string | null> {
  for (const link of links.values()) link.restore();
  const errors: unknown[] = [];
  const attempt = async <Result>(stop: () => Promise<Result> | undefined): Promise<Result | undefined> => {
    try {
      return await stop();
    } catch (error) {
      errors.push(error);
      return undefined;
    }
  };
  await attempt(() => fleet?.stop());
  const kept = await attempt(() => stack?.stop({ keep }));
  await attempt(() => postgres?.stop());
  await attempt(() => kafka?.stop());
  for (const link of links.values()) link.close();
  if (!keep) rmSync(home, { recursive: true, force: true });
  if (errors.length > 0) throw errors[0];
  return kept ?? null;
}

const stateOf =
  (app: string) =>
  async ({ url }: Replica): Promise<string | null> => {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    return answer?.status === 200 ? null : `${app} at ${url}: ${answer ? await answer.text() : 'no answer'}`;
  };

function found<Item>(item: Item | undefined, name: string): Item {
  if (item === undefined) throw new Error(`this platform has no ${name}`);
  return item;
}
