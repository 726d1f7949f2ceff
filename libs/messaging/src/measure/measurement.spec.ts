import { Logger } from '@nestjs/common';
import { resolveOptions } from '../events-options';
import type { OutboxRelay } from '../outbox/outbox-relay';
import { Measurement } from './measurement';

const OPTIONS = resolveOptions({ app: 'reader', bus: 'postgres', busUrl: 'postgres://nowhere/db' });

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

  it('logs that a measure works again after a successful read, not when the process loses its leadership', async () => {
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
});
