import { Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { resolveOptions } from '../events-options';
import type { OutboxRelay } from '../outbox/outbox-relay';
import { Measurement } from './measurement';

const OPTIONS = resolveOptions({ app: 'reader', bus: 'postgres', busUrl: 'postgres://nowhere/db' });
const PERIOD_MS = OPTIONS.tuning.measureEveryMs;

/** Returns the measurement of one process, with a gauge of its own, and a function that returns the gauge's exported values. */
function replicaOf(relay: { readonly leads: boolean }, read: () => Promise<number> = async () => 3) {
  const gauge = new Gauge({ name: 'books', help: 'Books on the shelf', labelNames: ['app'], registers: [] });
  const measurement = new Measurement(relay as OutboxRelay, OPTIONS);
  measurement.add({ name: 'the shelf', read: async () => [{ gauge, value: await read() }] });
  return { measurement, exported: async (): Promise<number[]> => (await gauge.get()).values.map(({ value }) => value) };
}

describe('the measurement of an app', () => {
  let lines: string[];
  const relay = { leads: true };
  beforeEach(() => {
    lines = [];
    relay.leads = true;
    const keep = (line: { msg: string }): void => void lines.push(line.msg);
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(keep);
    jest.spyOn(Logger.prototype, 'log').mockImplementation(keep);
  });
  afterEach(() => jest.restoreAllMocks());

  it('logs the recovery of a measure after a successful read, not when the process loses its leadership', async () => {
    const measurement = new Measurement(relay as OutboxRelay, OPTIONS);
    let isAway = true;
    measurement.add({
      name: 'the shelf',
      read: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve([])),
    });
    await measurement.measure();
    relay.leads = false;
    await measurement.measure();
    expect(lines).toEqual(['the shelf cannot be measured']);
    relay.leads = true;
    isAway = false;
    await measurement.measure();
    expect(lines).toEqual(['the shelf cannot be measured', 'the shelf is measured again']);
  });

  describe('over time', () => {
    beforeEach(() => jest.useFakeTimers({ now: 0 }));
    afterEach(() => jest.useRealTimers());

    it.each([10, 11, 14])(
      'exports values all the time while the lead changes every %d s between two replicas',
      async (seconds) => {
        const leader = (): number => Math.floor(Date.now() / 1_000 / seconds) % 2;
        const replicas = [0, 1].map((index) =>
          replicaOf({
            get leads() {
              return leader() === index;
            },
          }),
        );
        replicas[0]?.measurement.start();
        await jest.advanceTimersByTimeAsync(5_000);
        replicas[1]?.measurement.start();
        await jest.advanceTimersByTimeAsync(60_000);
        const gaps: number[] = [];
        for (let second = 0; second < 120; second++) {
          await jest.advanceTimersByTimeAsync(1_000);
          const values = await Promise.all(replicas.map(({ exported }) => exported()));
          if (values.flat().length === 0) gaps.push(second);
        }
        expect(gaps).toEqual([]);
        await Promise.all(replicas.map(({ measurement }) => measurement.stop()));
      },
    );

    it('keeps the values for two measurements after the process has lost the lead, and removes them at the third', async () => {
      const { measurement, exported } = replicaOf(relay);
      measurement.start();
      await jest.advanceTimersByTimeAsync(PERIOD_MS);
      relay.leads = false;
      await jest.advanceTimersByTimeAsync(2 * PERIOD_MS);
      expect(await exported()).toEqual([3]);
      await jest.advanceTimersByTimeAsync(PERIOD_MS);
      expect(await exported()).toEqual([]);
      await measurement.stop();
    });

    it('removes values at once when they cannot be read, and does not export them again when the lead is lost', async () => {
      let isAway = false;
      const { measurement, exported } = replicaOf(relay, async () => {
        if (isAway) throw new Error('away');
        return 3;
      });
      await measurement.measure();
      expect(await exported()).toEqual([3]);
      isAway = true;
      await measurement.measure();
      relay.leads = false;
      await measurement.measure();
      expect(await exported()).toEqual([]);
    });
  });
});
