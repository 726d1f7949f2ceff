import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Replica } from '../replica';
import type { FaultKind, PlannedFault } from './plan';
import type { World } from './world';

/** By how much a clock is wrong, ms. */
const CLOCK_ERROR_MS = 90_000;
const CLOCK_SHIFT_FILE = path.join(__dirname, 'clock-shift.js');
const DELAY_MS = 2_000;
/**
 * The longest time for which the memory of a process is limited. If the process survives this time, the limit is
 * lifted.
 */
const MEMORY_LIMIT_MS = 5_000;
const LOOK_MS = 50;

type Injection = (world: World, fault: PlannedFault) => Promise<void>;

const restart =
  (env: NodeJS.ProcessEnv = {}) =>
  async (world: World, replica: Replica): Promise<void> => {
    const { pid } = replica.state;
    replica.kill(env);
    await world.isBack(replica, pid);
  };

/** Returns an injection that disturbs a link for the duration of the fault. */
const disturb =
  (act: (link: ReturnType<World['link']>) => void): Injection =>
  async (world, { target, durationMs }) => {
    const link = world.link(target);
    act(link);
    await sleep(durationMs);
    link.restore();
  };

const brokerOf = ({ target }: PlannedFault): number => Number(target.split(' ')[1]);

const brokersOf = ({ kafka }: World) => {
  if (!kafka) throw new Error('this platform has no brokers');
  return kafka;
};

/** The injections by kind of fault. Each resolves when everything that it broke is repaired. */
const INJECTIONS: Record<FaultKind, Injection> = {
  kill: (world, { target }) => restart()(world, world.replica(target)),
  stop: async (world, { target, durationMs }) => {
    const replica = world.replica(target);
    replica.freeze();
    await sleep(durationMs);
    replica.thaw();
  },
  clock: async (world, { target, durationMs, number }) => {
    const shift = number % 2 === 0 ? CLOCK_ERROR_MS : -CLOCK_ERROR_MS;
    const env = { NODE_OPTIONS: `--require ${JSON.stringify(CLOCK_SHIFT_FILE)}`, CLOCK_SHIFT_MS: String(shift) };
    await restart(env)(world, world.replica(target));
    await sleep(durationMs);
    await restart()(world, world.replica(target));
  },
  memory: async (world, { target }) => {
    const replica = world.replica(target);
    const { pid } = replica.state;
    await limitMemory(pid);
    for (const deadline = Date.now() + MEMORY_LIMIT_MS; Date.now() < deadline; await sleep(LOOK_MS)) {
      if (replica.state.pid !== pid || !replica.state.ready) break;
    }
    if (replica.state.pid === pid && replica.state.ready) await liftMemoryLimit(pid);
    else await world.isBack(replica, pid);
  },
  cut: disturb((link) => link.cut()),
  slow: disturb((link) => link.slow(DELAY_MS)),
  reset: disturb((link) => link.reset()),
  refuse: disturb((link) => link.refuse()),
  abandon: disturb((link) => link.abandon()),
  'postgres-crash': ({ postgres }) => postgres.restart('SIGKILL'),
  'postgres-immediate-stop': ({ postgres }) => postgres.restart('SIGQUIT'),
  'postgres-failover': ({ postgres }, { number }) => postgres.failOver({ silently: number % 2 === 0 }),
  'postgres-disk-full': ({ postgres }, { durationMs }) => postgres.fillDisk(durationMs),
  'broker-kill': (world, fault) => brokersOf(world).restart(brokerOf(fault)),
  'leader-move': (world) => brokersOf(world).moveLeaders(),
  'too-few-replicas': (world, { durationMs }) => brokersOf(world).takeTwo(durationMs),
  'broker-disk-full': (world, fault) => brokersOf(world).fillDisk(brokerOf(fault), fault.durationMs),
};

/**
 * Injects a fault, and resolves when everything that it broke is repaired.
 * @throws when the fault cannot be injected, or something cannot be repaired
 */
export const inject = (world: World, fault: PlannedFault): Promise<void> => INJECTIONS[fault.kind](world, fault);

/** Limits the address space of a process to its current size, so that its next large allocation fails. */
async function limitMemory(pid: number): Promise<void> {
  const kilobytes = Number(/^VmSize:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  await promisify(execFile)('prlimit', ['--pid', String(pid), `--as=${kilobytes * 1024}:unlimited`]);
}

const liftMemoryLimit = (pid: number): Promise<unknown> =>
  promisify(execFile)('prlimit', ['--pid', String(pid), '--as=unlimited:unlimited']).catch(() => undefined);
