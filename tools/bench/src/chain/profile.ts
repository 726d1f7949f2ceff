import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Profiler } from 'node:inspector';
import type { App } from '../processes/apps';

const SHOWN = 12;
/** V8's name for idle time. */
const IDLE = '(idle)';

/** An app with its name. The app must have been started with {@link PROFILED}. */
export type NamedChild = readonly [name: string, app: Pick<App, 'child'>];

/** Arguments for Node that make an app profilable. */
export const PROFILED: readonly string[] = ['--require', path.join(__dirname, 'profile-preload.js')];

/**
 * Runs work while the profiler of each app is on. Then writes each app's profile to `folder`, and prints where the app
 * spent its busy time.
 */
export async function profileApps(
  apps: readonly NamedChild[],
  folder: string,
  prefix: string,
  work: () => Promise<unknown>,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await Promise.all(apps.map(([, { child }]) => child.ask({ startProfile: true })));
  await work();
  for (const [name, { child }] of apps) {
    const file = path.resolve(folder, `${prefix}-${name}.cpuprofile`);
    await child.ask({ stopProfile: file });
    console.log(`\n${name} (${file})\n${summaryOf(JSON.parse(readFileSync(file, 'utf8')) as Profiler.Profile)}`);
  }
}

/**
 * Returns a text with the 12 packages and the 12 functions in which most of a profile's busy time was spent. In the
 * list of packages, the time of a function of Node counts for its caller: a write to a socket counts for the package
 * that writes.
 */
export function summaryOf(profile: Profiler.Profile): string {
  const times = selfTimesOf(profile);
  const owners = ownersOf(profile.nodes);
  const busy = [...times.values()].reduce((sum, time) => sum + time, 0);
  const lines = (nameOf: (node: Profiler.ProfileNode) => string): string[] =>
    sumBy(times, nameOf).map(([name, time]) => `  ${((100 * time) / busy).toFixed(1).padStart(5)} %  ${name}`);
  return [
    `  busy ${(busy / 1e6).toFixed(1)} s; by package:`,
    ...lines((node) => owners.get(node.id) ?? packageOf(node)),
    '  by function:',
    ...lines((node) => `${node.callFrame.functionName || '(anonymous)'} ${packageOf(node)}`),
  ].join('\n');
}

/**
 * Returns the microseconds spent in each function itself, without the functions that it called and without idle time.
 */
function selfTimesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Map<Profiler.ProfileNode, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const times = new Map<Profiler.ProfileNode, number>();
  for (const [index, id] of samples.entries()) {
    const node = byId.get(id);
    if (node === undefined || node.callFrame.functionName === IDLE) continue;
    times.set(node, (times.get(node) ?? 0) + (timeDeltas[index + 1] ?? 0));
  }
  return times;
}

/** Returns the package of each function. A function of Node itself belongs to the package that called it, if any. */
function ownersOf(nodes: readonly Profiler.ProfileNode[]): ReadonlyMap<number, string> {
  const owners = new Map<number, string>();
  // In `nodes`, a caller precedes the functions that it calls.
  for (const node of nodes) {
    const owner = isOfNode(node) ? owners.get(node.id) : packageOf(node);
    if (owner === undefined) continue;
    for (const id of [node.id, ...(node.children ?? [])]) owners.set(id, owner);
  }
  return owners;
}

const isOfNode = ({ callFrame: { url } }: Profiler.ProfileNode): boolean => url === '' || url.startsWith('node:');

function sumBy(
  times: ReadonlyMap<Profiler.ProfileNode, number>,
  nameOf: (node: Profiler.ProfileNode) => string,
): [string, number][] {
  const sums = new Map<string, number>();
  for (const [node, time] of times) sums.set(nameOf(node), (sums.get(nameOf(node)) ?? 0) + time);
  return [...sums].sort(([, one], [, other]) => other - one).slice(0, SHOWN);
}

/**
 * Returns the name of a function's package, such as `kafkajs`, `@tandem/messaging` or `node:net`. For code without a
 * file, returns `(native)` or V8's name in parentheses.
 */
export function packageOf({ callFrame: { url, functionName } }: Profiler.ProfileNode): string {
  if (url === '') return functionName.startsWith('(') ? functionName : '(native)';
  if (url.startsWith('node:')) return url.replace(/^(node:(?:internal\/)?[^/]+).*$/, '$1');
  const installed = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (installed !== undefined) return installed;
  const own = /\/(?:libs|apps)\/([^/]+)\/(?:dist|src)\//.exec(url)?.[1];
  return own === undefined ? path.basename(url) : `@tandem/${own}`;
}
