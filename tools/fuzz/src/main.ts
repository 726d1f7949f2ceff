import { setTimeout as delay } from 'node:timers/promises';
import type { Tally } from './hostile/findings';
import { checkOnly, HostileRun } from './hostile/hostile-run';
import { Platform } from './platform/platform';
import { FuzzedStack } from './run/fuzzed-stack';
import { MemoryWatch } from './run/memory';
import { type FuzzOptions, readOptions, USAGE } from '../options';
import { describeFinding, durationNote, memoryTable, requestTable } from './run/report';

const PROGRESS_MS = 5_000;
/**
 * The share of requests that may be answered with 503 or 504. These are the documented answers when another program
 * does not answer in time.
 */
const BUSY_SHARE = 0.001;
/** The approximate number of memory samples in a run: about five in each fifth of the run. */
const SAMPLES = 25;
/** How long after the last request the apps may keep more connections to Postgres than before the run. */
const CALM_MS = 60_000;
const SHOWN_LINES = 20;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(USAGE);
    return 0;
  }
  const { requests, seed, concurrency, only } = options;
  checkOnly(only);
  console.log(
    `fuzz: about ${requests} requests, ${concurrency} at a time, seed ${seed}${only ? `, only ${only}` : ''}`,
  );
  console.log('  building what has changed, and starting a stack');
  const memory = new MemoryWatch();
  let stack: FuzzedStack | undefined;
  let stopped = false;
  const stop = (): void => void (stopped = true);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    stack = await FuzzedStack.start(memory.environment);
    if (stopped) return 130;
    const passed = await attack(options, stack, memory, () => stopped);
    return stopped ? 130 : Number(!passed);
  } finally {
    await stack?.stop();
    memory.close();
  }
}

/** Runs the fuzzer on a stack. @returns true when nothing was found */
async function attack(
  options: FuzzOptions,
  stack: FuzzedStack,
  memory: MemoryWatch,
  isStopped: () => boolean,
): Promise<boolean> {
  const platform = await Platform.create(stack, stack.outside);
  const [pids, connections] = [stack.pids(), await stack.connections()];
  const run = new HostileRun(platform, { ...options, edgeUrl: stack.edgeUrl });
  const faults: string[] = [];
  let isOver = false;
  const watch = watchMemory(
    run.tally,
    options,
    () => isOver || isStopped(),
    () => memory.sample(pids),
  );
  const progress = setInterval(() => show(run.tally, options), PROGRESS_MS);
  const began = Date.now();
  try {
    await run.run(isStopped);
  } finally {
    isOver = true;
    clearInterval(progress);
    await watch.catch((error: Error) => faults.push(error.message));
  }
  const seconds = (Date.now() - began) / 1_000;
  const after = JSON.stringify(stack.pids());
  if (after !== JSON.stringify(pids)) faults.push(`processes have ended: ${JSON.stringify(pids)} became ${after}`);
  const left = await connectionsLeft(stack, connections);
  if (left > connections) faults.push(`the apps have ${left} connections to Postgres; before, they had ${connections}`);
  const lines = stack.errorLines();
  if (lines.length > 0) faults.push(`${lines.length} errors were logged:\n${lines.slice(0, SHOWN_LINES).join('\n')}`);
  const busy = run.tally.countOf(503) + run.tally.countOf(504);
  if (busy > run.tally.requests * BUSY_SHARE) faults.push(`${busy} requests were answered 503 or 504`);
  const trends = memory.trends();
  for (const { name, grows } of trends) if (grows) faults.push(`the memory of ${name} grows`);
  const found = [...run.tally.findings.map((finding) => describeFinding(finding, options)), ...faults];
  console.log(`\n${requestTable(run.tally)}\n${durationNote(run.tally, options)}\n${memoryTable(trends)}\n`);
  console.log(
    `connections to Postgres: ${connections} before, ${left} after; ${lines.length} errors logged; ${busy} answers 503 or 504`,
  );
  console.log(`${run.tally.requests} requests in ${Math.round(seconds)} s`);
  if (isStopped())
    console.log(
      `the run was stopped early: it sent ${run.tally.requests}${options.only ? '' : ` of ${options.requests}`} requests`,
    );
  const passed = isStopped() ? 'fuzz found nothing so far' : 'fuzz passed';
  console.log(found.length === 0 ? passed : `\n${found.join('\n\n')}\n\nfuzz FAILED: ${found.length} findings`);
  return found.length === 0;
}

/** Takes a sample of the memory at the start, and then after every 1/25 of the requests. With `only`, takes none. */
async function watchMemory(
  tally: Tally,
  { requests, only }: FuzzOptions,
  isOver: () => boolean,
  sample: () => Promise<void>,
): Promise<void> {
  if (only !== undefined) return;
  for (let taken = 0; !isOver(); await delay(200)) {
    if (tally.requests < (taken * requests) / SAMPLES) continue;
    await sample();
    taken++;
  }
}

/**
 * Waits, for at most a minute, until the apps have at most as many connections as before the run.
 * @returns how many they have
 */
async function connectionsLeft(stack: FuzzedStack, before: number): Promise<number> {
  let left = await stack.connections();
  for (const deadline = Date.now() + CALM_MS; left > before && Date.now() < deadline; await delay(1_000))
    left = await stack.connections();
  return left;
}

let shownRequests = 0;
let shownFindings = 0;

function show(tally: Tally, { requests }: FuzzOptions): void {
  const rate = Math.round((tally.requests - shownRequests) / (PROGRESS_MS / 1_000));
  shownRequests = tally.requests;
  const { findings } = tally;
  for (const { source, operation, complaint } of findings.slice(shownFindings))
    console.log(`  found: ${source}: ${operation} ${complaint}`);
  shownFindings = findings.length;
  console.log(
    `  ${tally.requests.toLocaleString('en')}/${requests.toLocaleString('en')}  ${rate}/s  ${shownFindings} findings`,
  );
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`fuzz could not run: ${(error as Error).message}`);
    process.exit(2);
  },
);
