import { randomFrom } from '../random';
import { FAULT_KINDS, type FaultChoice, kindsOf, planFaults } from './plan';

const CHOICE: FaultChoice = { bus: 'kafka', replicas: 2, hasSmallDisks: true, only: null, everyMs: 250 };
const plan = (count: number, choice = CHOICE, seed = 7) => planFaults(count, choice, randomFrom(seed));

describe('the plan of a run with faults', () => {
  it('is the same for the same seed, and different for a different seed', () => {
    expect(plan(100)).toEqual(plan(100));
    expect(plan(100)).not.toEqual(plan(100, CHOICE, 8));
  });

  it('contains every kind of fault before any kind occurs for the second time', () => {
    const first = plan(FAULT_KINDS.length).map(({ kind }) => kind);
    expect(first.sort()).toEqual([...FAULT_KINDS].sort());
  });

  it('hits every link, replica and server when it has many faults', () => {
    const targets = new Set(plan(3_000).map(({ target }) => target));
    expect(targets).toContain('idp-support 2');
    expect(targets).toContain('store of discovery');
    expect(targets).toContain('requests to voucher-service');
    expect(targets).toContain('network of broker 3');
    expect(targets.size).toBe(14 + 14 + 2 + 3 + 3 + 2);
  });

  it('stops processes for 1 to 45 s, most of them for a short time', () => {
    const stops = plan(3_000).filter(({ kind }) => kind === 'stop');
    const durations = stops.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
    expect(durations[0]).toBeGreaterThanOrEqual(1_000);
    expect(durations.at(-1)).toBeGreaterThan(30_000);
    expect(durations.at(-1)).toBeLessThanOrEqual(45_000);
    expect(durations[Math.floor(durations.length / 2)]).toBeLessThan(12_000);
  });

  it('breaks no broker on the Postgres bus, and fills no disk where disks cannot be filled', () => {
    const kinds = kindsOf({ ...CHOICE, bus: 'postgres', hasSmallDisks: false });
    expect(kinds.filter((kind) => /broker|leader|replicas|disk/.test(kind))).toEqual([]);
    expect(kinds).toContain('postgres-failover');
  });

  it('has only the kinds that --only names, and throws when a name is unknown or no named kind is possible', () => {
    expect(new Set(plan(50, { ...CHOICE, only: ['kill', 'cut'] }).map(({ kind }) => kind))).toEqual(
      new Set(['kill', 'cut']),
    );
    expect(() => kindsOf({ ...CHOICE, only: ['kill', 'flood'] })).toThrow(
      /^--only: no kind of fault is named "flood"; the kinds are kill, stop/,
    );
    expect(() => kindsOf({ ...CHOICE, bus: 'postgres', only: ['broker-kill'] })).toThrow(
      '--only: broker-kill cannot be injected on postgres here',
    );
  });
});
