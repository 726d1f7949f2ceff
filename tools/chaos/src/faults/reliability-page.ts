import { readFileSync, writeFileSync } from 'node:fs';
import * as prettier from 'prettier';
import { inRepository } from '@tandem/stack-client';
import type { ArrivalTime, LastArrival } from './last-arrival';
import type { FaultsReport } from './report';

const PAGE = 'docs/reliability.md';
const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

/**
 * Writes the figures of a run to docs/reliability.md, in place of the section for the run's bus.
 * @returns the page's path in the repository
 */
export async function writePage(report: FaultsReport, file = inRepository(PAGE)): Promise<string> {
  const [begin, end] = [`<!-- run on ${report.bus} -->`, `<!-- end of run on ${report.bus} -->`];
  const page = readFileSync(file, 'utf8');
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no section between ${begin} and ${end}`);
  const text = `${page.slice(0, from)}${begin}\n\n${sectionOf(report)}\n\n${page.slice(to)}`;
  const options = (await prettier.resolveConfig(file)) ?? {};
  writeFileSync(file, await prettier.format(text, { ...options, parser: 'markdown' }));
  return PAGE;
}

function sectionOf(report: FaultsReport): string {
  const { command, faults, acknowledged, requests, lost, twice, wrong, lastArrival } = report;
  const kinds = report.kinds.map(({ kind, times, longestMs, longestGap }) => {
    const gap = longestGap ? seconds(longestGap.to - longestGap.from) : '< 2';
    return [`\`${kind}\``, times, seconds(longestMs), gap, longestGap?.operation ?? ''];
  });
  return [
    `\`${command}\``,
    markdown(
      ['faults', 'acknowledged', 'other requests', 'lost', 'done twice', 'otherwise wrong'],
      [[faults, acknowledged, requests, lost, twice, wrong]],
    ),
    markdown(
      ['fault', 'times', 'longest, with repair, s', 'longest time without a success, s', 'of the operation'],
      kinds,
    ),
    ...(lastArrival ? [arrivalText(lastArrival)] : []),
  ].join('\n\n');
}

function arrivalText({ afterKill, afterStop }: LastArrival): string {
  const row = (text: string, time: keyof ArrivalTime): string[] => [
    text,
    seconds(afterKill[time]),
    seconds(afterStop[time]),
  ];
  return [
    'At the end of the run, one replica of each app on the path of a sale was killed while purchases were made, one app after another. Then the same was\n' +
      'done with replicas that were stopped (`SIGSTOP`) instead of killed. The table below has the longest time, over these apps, until the last postback of\n' +
      'the purchases arrived. Its first row includes the time (at most 10 s) that the sender of a webhook waits for a broken replica before it sends the\n' +
      'webhook again.',
    markdown(
      ['longest time until the last postback arrived', 'kill, s', 'stop, s'],
      [
        row('since the kill or stop', 'sinceFaultMs'),
        row('since the purchase was acknowledged, if this was after the kill or stop', 'sinceAcceptanceMs'),
      ],
    ),
  ].join('\n\n');
}

const markdown = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
