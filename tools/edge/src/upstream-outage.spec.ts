import { upstreamOutage } from './upstream-outage';

it('the edge logs an app’s outage with one warning and one line at its end, even when many requests fail', () => {
  const lines: [level: string, fields: unknown][] = [];
  const outage = upstreamOutage('http://app', {
    info: (fields: unknown) => void lines.push(['info', fields]),
    warn: (fields: unknown) => void lines.push(['warn', fields]),
  });
  outage.succeeded();
  for (let request = 0; request < 3; request++) outage.failed({ reason: 'connect ECONNREFUSED' });
  outage.succeeded();
  outage.succeeded();
  expect(lines).toEqual([
    ['warn', { upstream: 'http://app', msg: 'the app does not answer', reason: 'connect ECONNREFUSED' }],
    ['info', { upstream: 'http://app', msg: 'the app answers again', outageMs: expect.any(Number) }],
  ]);
});
