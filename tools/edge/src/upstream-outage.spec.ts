import { UpstreamOutage } from './upstream-outage';

it('an app that goes and comes back leaves two lines, however many requests fail between them', () => {
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
