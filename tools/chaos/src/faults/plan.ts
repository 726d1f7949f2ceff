import { APPS } from '../../../../apps/apps';

/** The disturbances of a network link. */
export const NETWORK_FAULTS = ['cut', 'slow', 'reset', 'refuse', 'abandon'] as const;
export type NetworkFault = (typeof NETWORK_FAULTS)[number];

/** The kinds of faults. docs/reliability.md describes each. */
export const FAULT_KINDS = [
  'kill',
  'stop',
  'clock',
  'memory',
  ...NETWORK_FAULTS,
  'postgres-crash',
  'postgres-immediate-stop',
  'postgres-failover',
  'postgres-disk-full',
  'broker-kill',
  'leader-move',
  'too-few-replicas',
  'broker-disk-full',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault of the plan. The plan is made before the run. */
export interface PlannedFault {
  readonly number: number;
  readonly kind: FaultKind;
  /** The replica, link or server that the fault concerns. */
  readonly target: string;
  /** How long the fault lasts; 0 if its kind has no duration. */
  readonly durationMs: number;
  /** The pause before the fault, ms. */
  readonly pauseMs: number;
}

/** What can be broken in a run, and the pauses between faults. */
export interface FaultChoice {
  readonly bus: 'kafka' | 'postgres';
  readonly replicas: number;
  /** Whether the disks of servers can be filled. This requires a separate file system for each server. */
  readonly hasSmallDisks: boolean;
  /** The only kinds of faults in the run; null: all kinds that are possible. */
  readonly only: readonly string[] | null;
  /** The mean pause before a fault, ms. */
  readonly everyMs: number;
}

/** The probability of each kind, relative to the other kinds. */
const WEIGHTS: Record<FaultKind, number> = {
  kill: 20,
  stop: 12,
  clock: 5,
  memory: 6,
  cut: 10,
  slow: 9,
  reset: 10,
  refuse: 8,
  abandon: 10,
  'postgres-crash': 3,
  'postgres-immediate-stop': 3,
  'postgres-failover': 2,
  'postgres-disk-full': 2,
  'broker-kill': 3,
  'leader-move': 4,
  'too-few-replicas': 2,
  'broker-disk-full': 1,
};

/** The shortest and the longest duration, ms. Most durations are near the shortest. */
const DURATIONS: Partial<Record<FaultKind, readonly [shortest: number, longest: number]>> = {
  stop: [1_000, 45_000],
  clock: [3_000, 15_000],
  cut: [1_000, 30_000],
  slow: [2_000, 10_000],
  refuse: [1_000, 10_000],
  'postgres-disk-full': [2_000, 8_000],
  'too-few-replicas': [2_000, 8_000],
  'broker-disk-full': [2_000, 6_000],
};

const BROKERS = ['broker 1', 'broker 2', 'broker 3'];

/** Returns the names of the links that a run can disturb. */
export const linksOf = (bus: FaultChoice['bus']): string[] => [
  ...APPS.flatMap(({ name }) => [`store of ${name}`, `requests to ${name}`]),
  'identity vendor',
  "partner's endpoint",
  ...(bus === 'kafka' ? BROKERS.map((broker) => `network of ${broker}`) : []),
];

/** Returns the names of the replicas of a run. */
export const replicasOf = (replicas: number): string[] =>
  APPS.flatMap(({ name }) => Array.from({ length: replicas }, (_, index) => `${name} ${index + 1}`));

/** Returns the kinds of faults that a run can have. @throws TypeError when `only` has an unknown name, or no possible kind */
export function kindsOf({ bus, hasSmallDisks, only }: FaultChoice): FaultKind[] {
  const kinds = FAULT_KINDS.filter(
    (kind) =>
      (bus === 'kafka' || !isOfKafka(kind)) &&
      (hasSmallDisks || !kind.endsWith('disk-full')) &&
      (only === null || only.includes(kind)),
  );
  const unknown = only?.find((name) => !(FAULT_KINDS as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new TypeError(`--only: no kind of fault is named "${unknown}"; the kinds are ${FAULT_KINDS.join(', ')}`);
  if (kinds.length === 0) throw new TypeError(`--only: ${only?.join(', ')} cannot be injected on ${bus} here`);
  return kinds;
}

/**
 * Returns the name of the resource that a fault occupies. Two faults with the same resource never run at the same time.
 * - All faults of brokers share one resource, because brokers that are broken at the same time could not repair each
 *   other's data.
 * - The resource of any other fault, such as a disturbed network of a broker, is its target.
 */
export const resourceOf = ({ kind, target }: PlannedFault): string => (isOfKafka(kind) ? 'Kafka' : target);

const isOfKafka = (kind: FaultKind): boolean => /broker|leader|replicas/.test(kind);

/**
 * Chooses `count` faults. The same random numbers choose the same faults. Every kind is chosen once before any kind is
 * chosen by its weight.
 */
export function planFaults(count: number, choice: FaultChoice, random: () => number): PlannedFault[] {
  const kinds = kindsOf(choice);
  const first = shuffled(kinds, random);
  const targets = targetsOf(choice);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  return Array.from({ length: count }, (_, index) => {
    const kind = first[index] ?? weighted(kinds, random);
    const [shortest, longest] = DURATIONS[kind] ?? [0, 0];
    return {
      number: index + 1,
      kind,
      target: pick(targets(kind)),
      durationMs: Math.round(shortest + (longest - shortest) * random() ** 3),
      pauseMs: Math.round(choice.everyMs * (0.5 + random())),
    };
  });
}

function targetsOf({ bus, replicas }: FaultChoice): (kind: FaultKind) => readonly string[] {
  const [links, processes] = [linksOf(bus), replicasOf(replicas)];
  return (kind) => {
    if ((NETWORK_FAULTS as readonly string[]).includes(kind)) return links;
    if (kind.startsWith('postgres')) return ['Postgres'];
    if (kind === 'broker-kill' || kind === 'broker-disk-full') return BROKERS;
    return isOfKafka(kind) ? ['Kafka'] : processes;
  };
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(random() * left.length), 1)[0] as Item);
}

function weighted(kinds: readonly FaultKind[], random: () => number): FaultKind {
  let rest = random() * kinds.reduce((sum, kind) => sum + WEIGHTS[kind], 0);
  return kinds.find((kind) => (rest -= WEIGHTS[kind]) < 0) ?? (kinds.at(-1) as FaultKind);
}
