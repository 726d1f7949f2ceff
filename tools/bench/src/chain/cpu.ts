import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second on every platform of Linux. */
const MS_A_TICK = 10;

interface ProcessTimes {
  readonly parent: number;
  /** Of the process itself. */
  readonly own: number;
  /** Of its children that have ended. */
  readonly ended: number;
}

/** CPU milliseconds of one process so far, its threads included; null where the system does not tell (not Linux). */
export const cpuOfProcess = (pid: number): number | null => timesOf(pid)?.own ?? null;

/** The same of a PostgreSQL server: its postmaster, its processes, and those that have ended. */
export function cpuOfPostgres(postmaster: number): number | null {
  const times = timesOf(postmaster);
  if (times === null) return null;
  const running = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => timesOf(Number(name)))
    .filter((child) => child?.parent === postmaster);
  return running.reduce((sum, child) => sum + (child?.own ?? 0), times.own + times.ended);
}

/** Null when the process does not exist (any more), or without /proc. */
function timesOf(pid: number): ProcessTimes | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The command is in parentheses and may hold anything; the third field follows it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = (field: number): number => Number(fields[field - 3]) * MS_A_TICK;
  return { parent: Number(fields[1]), own: ticks(14) + ticks(15), ended: ticks(16) + ticks(17) };
}
