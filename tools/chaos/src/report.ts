import type { IdentityVerdict } from './identity/verdict';
import type { FloodVerdict } from './ingest/verdict';
import type { Kill } from './killer';
import type { Replacement } from './replicas/fleet';
import type { OperationCount } from './replicas/request-load';
import { mishapsOf, type RollingVerdict } from './replicas/verdict';
import type { SdkVerdict } from './sdk/verdict';
import type { UpgradeStep } from './upgrade/upgrade-step';
import type { Verdict } from './verdict';

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
/** How many findings of each kind are listed. */
const SHOWN = 5;
const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

/** Formats a row for each process that was killed: how often it was killed, and how long it took to be ready again. */
export function killTable(kills: readonly Kill[]): string {
  const victims = [...new Set(kills.map(({ victim }) => victim))].sort();
  const rows = victims.map((victim) => {
    const times = kills.filter((kill) => kill.victim === victim).map(({ at, readyAt }) => readyAt - at);
    return [victim, String(times.length), seconds(median(times)), seconds(Math.max(...times))];
  });
  return table(['killed', 'times', 'back after, median s', 'longest s'], rows);
}

/** Formats the counts that determine the verdict, and the time that the platform needed to catch up. */
export function verdictTable(verdict: Verdict, catchUpMs: number, limitMs: number): string {
  return table(
    ['what', 'count'],
    [
      ['webhooks accepted', String(verdict.accepted)],
      ['sales', String(verdict.sales)],
      ['sales with a postback', String(verdict.postbacks)],
      ['lost sales', String(verdict.lostSales.length)],
      ['lost postbacks', String(verdict.lostPostbacks.length)],
      ['acted on twice', String(verdict.actedOnTwice.length)],
      ['unknown postbacks', String(verdict.unknown.length)],
      ['requests repeated under their webhook-id', String(verdict.repeatedRequests)],
      [`last postback after the last restart, s (≤ ${seconds(limitMs)})`, seconds(catchUpMs)],
    ],
  );
}

/** Formats the counts for users with identity protection. */
export function identityTable({ users, abandoned, unreached, orphans }: IdentityVerdict): string {
  return table(
    ['what', 'count'],
    [
      ['users that bought, created a profile, and kept or deleted it or got a refund', String(users)],
      ['requests that never got a correct answer', String(abandoned.length)],
      ['users whose enrollments at the vendor are not as wanted', String(unreached.length)],
      ['users of the vendor without a profile', String(orphans.length)],
    ],
  );
}

/** Formats the counts for a flood of webhooks. */
export const floodTable = ({ webhooks, stored, lost, actedOnTwice, wrong, deadLetters }: FloodVerdict): string =>
  table(
    ['what', 'count'],
    [
      ['different webhooks, all answered 200', String(webhooks)],
      ['stored', String(stored)],
      ['subscriptions with a missing event, and users with a missing alert', String(lost.length)],
      ['acted on twice', String(actedOnTwice.length)],
      ['subscriptions whose state contradicts their events', String(wrong.length)],
      ['dead letters', String(deadLetters)],
    ],
  );

/** Formats a row for each app: the number of its replaced replicas, the longest start of a new one, and the longest stop of an old one. */
export function restartTable(replacements: readonly Replacement[]): string {
  const rows = [...new Set(replacements.map(({ app }) => app))].map((app) => {
    const own = replacements.filter((one) => one.app === app);
    const longest = (times: number[]): string => seconds(Math.max(...times));
    const [starts, stops] = [own.map(({ startMs }) => startMs), own.map(({ stopMs }) => stopMs)];
    return [app, String(own.length), longest(starts), longest(stops)];
  });
  return table(['restarted', 'replicas', 'longest start, s', 'longest stop, s'], rows);
}

/** Formats a row for each step of an upgrade: what changed, to which version, and the requests during the step. */
export const upgradeTable = (steps: readonly UpgradeStep[]): string =>
  table(
    ['step', 'to', 'replicas', 'longest start, s', 'longest stop, s', 'requests', 'failed'],
    steps.map(({ what, to, replacements, requests, failed }) => [
      what,
      `${to} version`,
      String(replacements.length),
      seconds(Math.max(0, ...replacements.map(({ startMs }) => startMs))),
      seconds(Math.max(0, ...replacements.map(({ stopMs }) => stopMs))),
      String(requests),
      String(failed),
    ]),
  );

/** Formats the counts of calls by the SDK. */
export const sdkTable = ({ calls, repeated, longestMs, mishaps }: SdkVerdict): string =>
  table(
    ['what', 'count'],
    [
      ['calls by the SDK', String(calls)],
      ['calls with more than one attempt', String(repeated)],
      ['longest call, s', seconds(longestMs)],
      ...Object.entries(mishaps).map(([what, count]) => [what, String(count)]),
    ],
  );

/** Formats a row for each operation. */
export const loadTable = (counts: readonly OperationCount[]): string =>
  table(
    ['operation', 'requests', 'failed'],
    counts.map(({ name, requests, failures }) => [name, String(requests), String(failures.length)]),
  );

/** Formats, for each operation and each status, the number of failures and the first failure. */
export function failureList(counts: readonly OperationCount[]): string {
  const kinds = new Map<string, string[]>();
  for (const { name, failures } of counts)
    for (const text of failures) {
      const kind = `${name}: ${/: (\d{3}) /.exec(text)?.[1] ?? 'no answer'}`;
      kinds.set(kind, [...(kinds.get(kind) ?? []), text]);
    }
  return [...kinds].map(([kind, texts]) => `${kind} (${texts.length} times), first: ${texts[0]}`).join('\n');
}

/** Formats the counts that determine the verdict of a rolling restart or an upgrade. */
export const rollingTable = (verdict: RollingVerdict): string =>
  table(
    ['what', 'count'],
    [
      ['purchases', String(verdict.sales.accepted)],
      ['sales with a postback', String(verdict.sales.postbacks)],
      ['coupons created', String(verdict.coupons.found)],
      ...mishapsOf(verdict).map(([what, count]) => [what, String(count)]),
    ],
  );

/** Lists the first findings of each kind; returns an empty text for a clean verdict. */
export const floodFindings = (verdict: FloodVerdict): string => listOf(verdict, ['lost', 'actedOnTwice', 'wrong']);

/** Lists the first findings of each kind about users; returns an empty text for a clean verdict. */
export const identityFindings = (verdict: IdentityVerdict): string =>
  listOf(verdict, ['abandoned', 'unreached', 'orphans']);

/** Lists the first sales of each kind of finding; returns an empty text for a clean verdict. */
export const findings = (verdict: Verdict): string =>
  listOf(verdict, ['lostSales', 'lostPostbacks', 'actedOnTwice', 'unknown']);

const listOf = <Kind extends string>(verdict: Record<Kind, readonly string[]>, kinds: readonly Kind[]): string =>
  kinds
    .filter((kind) => verdict[kind].length > 0)
    .map((kind) => `${kind}: ${verdict[kind].slice(0, SHOWN).join(', ')}\n`)
    .join('');

/** Formats rows as a table of text with aligned columns. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] as string).length)),
  );
  const line = (cells: string[]): string =>
    cells.map((cell, column) => cell.padEnd(widths[column] as number)).join('  ');
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
