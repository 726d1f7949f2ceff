import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds per tick: Linux reports CPU time in hundredths of a second. */
const MS_A_TICK = 10;

interface ProcessTimes {
  readonly parent: number;
  /** CPU milliseconds of the process itself. */
  readonly own: number;
  /** CPU milliseconds of the process's children that have ended. */
  readonly ended: number;
}

/** Values by the name of a process; null where the system does not report them. */
export type Counts = Readonly<Record<string, number | null>>;

/** Returns the sum of the values of some processes; null when one of them was not measured. */
export const sumOf = (counts: Counts, names: readonly string[]): number | null =>
  names.reduce<number | null>((sum, name) => {
    const count = counts[name] ?? null;
    return sum === null || count === null ? null : sum + count;
  }, 0);

/**
 * Returns the CPU milliseconds that a process has used so far, including its threads; null for a process that has
 * ended, and on systems other than Linux.
 */
export const cpuOfProcess = (pid: number): number | null => timesOf(pid)?.own ?? null;

/**
 * Returns the CPU milliseconds of a PostgreSQL server: of its postmaster, its running processes, and processes that
 * have ended.
 */
export function cpuOfPostgres(postmaster: number): number | null {
  const times = timesOf(postmaster);
  if (times === null) return null;
  const running = childrenOf(postmaster) ?? [];
  return running.reduce(
    (sum, pid) => sum + (pid === postmaster ? 0 : (timesOf(pid)?.own ?? 0)),
    times.own + times.ended,
  );
}

/**
 * Returns how often the threads of a process have been woken from sleep so far; null where the system does not count
 * this.
 */
export function wakeUpsOfProcess(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + wakeUpsOfThread(pid, thread), 0);
  } catch {
    return null;
  }
}

/** Returns how often the running processes of a PostgreSQL server have been woken so far. */
export function wakeUpsOfPostgres(postmaster: number): number | null {
  const children = childrenOf(postmaster);
  return children && children.reduce((sum, pid) => sum + (wakeUpsOfProcess(pid) ?? 0), 0);
}

function wakeUpsOfThread(pid: number, thread: string): number {
  const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'latin1');
  return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1] ?? 0);
}

/** Returns the ids of a process and its children. */
function childrenOf(pid: number): readonly number[] | null {
  if (timesOf(pid) === null) return null;
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return [pid, ...all.map(Number).filter((child) => timesOf(child)?.parent === pid)];
}

/** Returns the CPU times of a process; null when the process does not exist, and on a system without /proc. */
function timesOf(pid: number): ProcessTimes | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The name of the program is in parentheses and may contain any characters; the third field of the line follows it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = (field: number): number => Number(fields[field - 3]) * MS_A_TICK;
  return { parent: Number(fields[1]), own: ticks(14) + ticks(15), ended: ticks(16) + ticks(17) };
}
