import type { Profiler } from 'node:inspector';
import { packageOf, summaryOf } from './profile';

const node = (id: number, functionName: string, url: string): Profiler.ProfileNode => ({
  id,
  callFrame: { functionName, url, scriptId: '0', lineNumber: 0, columnNumber: 0 },
});

describe('packageOf', () => {
  it.each([
    ['file:///x/node_modules/a/node_modules/@scope/b/index.js', 'f', '@scope/b'],
    ['/x/node_modules/kafkajs/src/index.js', 'f', 'kafkajs'],
    ['/x/libs/messaging/dist/outbox/relay.js', 'f', '@tandem/messaging'],
    ['/x/apps/partner-gateway/dist/sale/sale.service.js', 'f', '@tandem/partner-gateway'],
    ['node:internal/streams/writable', 'f', 'node:internal/streams'],
    ['node:net', 'f', 'node:net'],
    ['', '(garbage collector)', '(garbage collector)'],
    ['', 'writev', '(native)'],
  ])('for %p, function %p, returns %p', (url, functionName, expected) =>
    expect(packageOf(node(1, functionName, url))).toBe(expected),
  );
});

describe('summaryOf', () => {
  it('attributes the time of Node’s functions to the package that called them', () => {
    const nodes = [{ ...node(1, 'write', '/x/node_modules/pg/a.js'), children: [2] }, node(2, 'writev', '')];
    const summary = summaryOf({ nodes, startTime: 0, endTime: 4, samples: [2, 2], timeDeltas: [0, 4] });
    expect(summary).toContain('100.0 %  pg');
    expect(summary).toContain('100.0 %  writev (native)');
  });

  it('divides the busy time among packages and functions, without idle time', () => {
    const nodes = [node(1, '(idle)', ''), node(2, 'parse', '/x/node_modules/pg/a.js'), node(3, 'send', 'node:net')];
    const summary = summaryOf({ nodes, startTime: 0, endTime: 10, samples: [1, 2, 3], timeDeltas: [0, 6, 3, 1] });
    expect(summary).toContain('75.0 %  pg');
    expect(summary).toContain('25.0 %  send node:net');
    expect(summary).not.toContain('idle');
  });
});
