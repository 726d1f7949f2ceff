import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const PRELOAD = path.join(__dirname, 'memory-preload.js');
const SAMPLE_MS = 10_000;
const MEGABYTE = 1024 * 1024;

/** The growth of memory that is allowed until the end of the run: a quarter or 40 MB, whichever is larger. */
const GROWTH = { factor: 1.25, bytes: 40 * MEGABYTE };

/** The memory that a process uses after a garbage collection, in bytes. */
export interface MemorySample {
  readonly rss: number;
  readonly heapUsed: number;
}

/** How the memory use of a process changed: the medians of the second fifth and of the last fifth of a run, in MB. */
export interface MemoryTrend {
  readonly name: string;
  readonly rss: readonly [before: number, after: number];
  readonly heapUsed: readonly [before: number, after: number];
  readonly grows: boolean;
}

/** Samples the memory of the processes that were started with {@link environment}. */
export class MemoryWatch {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'fuzz-memory-'));
  private readonly samples = new Map<string, MemorySample[]>();

  get environment(): Record<string, string> {
    return { NODE_OPTIONS: `--require ${PRELOAD}`, FUZZ_MEMORY_DIR: this.folder };
  }

  /**
   * Takes one sample of each process.
   * @param pids the process ids by name
   * @throws Error when a process does not report its memory within 10 s
   */
  async sample(pids: Readonly<Record<string, number>>): Promise<void> {
    const taken = await Promise.all(
      Object.entries(pids).map(async ([name, pid]) => [name, await this.sampleOf(name, pid)] as const),
    );
    for (const [name, sample] of taken) this.samples.set(name, [...(this.samples.get(name) ?? []), sample]);
  }

  /** Returns the trend of each sampled process. The first fifth of the samples is the warm-up. */
  trends(): readonly MemoryTrend[] {
    return [...this.samples].map(([name, samples]) => trendOf(name, samples));
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async sampleOf(name: string, pid: number): Promise<MemorySample> {
    const file = path.join(this.folder, `${pid}.json`);
    const before = changedAt(file);
    process.kill(pid, 'SIGUSR2');
    for (const deadline = Date.now() + SAMPLE_MS; ; await delay(20)) {
      try {
        if (changedAt(file) !== before) return JSON.parse(readFileSync(file, 'utf8')) as MemorySample;
      } catch {
        // The process is still writing the file.
      }
      if (Date.now() > deadline)
        throw new Error(`${name} (process ${pid}) did not report its memory within ${SAMPLE_MS} ms`);
    }
  }
}

const changedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Compares the medians of the second fifth and of the last fifth of the samples: a single sample may be taken during a
 * peak. Some growth is allowed (`GROWTH`), because caches with a limit fill up during a run, and V8 returns memory to
 * the system late.
 */
export function trendOf(name: string, samples: readonly MemorySample[]): MemoryTrend {
  const fifth = Math.max(1, Math.floor(samples.length / 5));
  const early = samples.slice(fifth, 2 * fifth);
  const late = samples.slice(-fifth);
  const pair = (field: keyof MemorySample): [number, number] => [medianOf(early, field), medianOf(late, field)];
  const [rss, heapUsed] = [pair('rss'), pair('heapUsed')];
  const grows = [rss, heapUsed].some(
    ([before, after]) => after > Math.max(before * GROWTH.factor, before + GROWTH.bytes),
  );
  const megabytes = ([before, after]: [number, number]) =>
    [Math.round(before / MEGABYTE), Math.round(after / MEGABYTE)] as const;
  return { name, rss: megabytes(rss), heapUsed: megabytes(heapUsed), grows };
}

function medianOf(samples: readonly MemorySample[], field: keyof MemorySample): number {
  const values = samples.map((sample) => sample[field]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 0;
}
