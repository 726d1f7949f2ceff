import { EventEmitter } from 'node:events';
import { interruptFaults, interruption } from './signals';

describe('the signals of a run', () => {
  let lines: string[];
  beforeEach(() => {
    lines = [];
    jest.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  });
  afterEach(() => jest.restoreAllMocks());

  it('end the startup and print one line', () => {
    const signals = new EventEmitter();
    const interrupted = interruption(signals);
    signals.emit('SIGINT');
    expect(interrupted.aborted).toBe(true);
    expect(lines).toEqual([expect.stringMatching(/^interrupted: stopping/)]);
  });

  it('end only the faults at the first Ctrl-C, and the run at the second one, and print one line for each', () => {
    const signals = new EventEmitter();
    const interrupted = interruption(signals);
    const end = jest.fn();
    const stopping = interruptFaults(end, signals);
    signals.emit('SIGINT');
    expect([stopping.aborted, interrupted.aborted]).toEqual([true, false]);
    expect(end).not.toHaveBeenCalled();
    expect(lines).toEqual([expect.stringMatching(/^no more faults: .*Ctrl-C again/)]);
    signals.emit('SIGINT');
    expect(end).toHaveBeenCalledTimes(1);
    expect(lines.slice(1)).toEqual([expect.stringMatching(/^interrupted: stopping/)]);
  });

  it.each([
    ['two Ctrl-C and then SIGTERM', ['SIGINT', 'SIGINT', 'SIGTERM']],
    ['SIGTERM and then two Ctrl-C', ['SIGTERM', 'SIGINT', 'SIGINT']],
  ])('end a run with faults only once after %s', (_, given) => {
    const signals = new EventEmitter();
    const end = jest.fn();
    interruptFaults(end, signals);
    for (const signal of given) signals.emit(signal);
    expect(end).toHaveBeenCalledTimes(1);
  });

  it('end a run with faults at SIGTERM and print one line', () => {
    const signals = new EventEmitter();
    interruption(signals);
    const end = jest.fn();
    interruptFaults(end, signals);
    signals.emit('SIGTERM');
    signals.emit('SIGTERM');
    expect(end).toHaveBeenCalledTimes(1);
    expect(lines).toEqual([expect.stringMatching(/^interrupted: stopping/)]);
  });
});
