import { UpstreamOutage } from './upstream-outage';

it('an app’s outage is logged with two lines, however many requests fail', () => {
  const lines: unknown[][] = [];
  const write =
    (level: string) =>
    (fields: unknown, text?: unknown): void =>
      void lines.push([level, fields, text]);
  const outage = new UpstreamOutage('http://app', { info: write('info'), error: write('error') });
  outage.answered();
  for (let request = 0; request < 3; request++) outage.failed('connect ECONNREFUSED');
  outage.answered();
  outage.answered();
  expect(lines).toEqual([
    ['error', { upstream: 'http://app', reason: 'connect ECONNREFUSED' }, 'the app does not answer'],
    ['info', { upstream: 'http://app', outageMs: expect.any(Number) }, 'the app answers again'],
  ]);
});
