import { readOptions } from '../options';

describe('readOptions of chaos', () => {
  it.each([
    [['--only', 'nope'], 'no process is named "nope"; the names are partner-gateway'],
    [['--upgrade', '--only', 'postgres'], 'no process is named "postgres"'],
    [['--faults', '5', '--faults', '6'], '--faults is given twice'],
    [['--faults', '1.5'], '--faults is a whole number from 1 to 999999, not 1.5'],
    [['--faults', '99999999999999999999'], '--faults is a whole number'],
    [['--rate', 'Infinity'], '--rate is a positive number, not Infinity'],
    [['--users', '0x10'], '--users is a positive number'],
    [['--every', ' 5'], '--every is a positive number'],
    [['--limit', '0.0'], '--limit is a positive number'],
    [['--rolling', '--replicas', '0'], '--replicas is a whole number'],
    [['--rolling', '--faults', '9'], 'are different runs'],
    [['--rolling', '--write'], '--write has no effect with --rolling'],
    [['--from', 'HEAD'], '--from needs --upgrade'],
    [['--replicas', '3'], '--replicas needs --rolling or --upgrade or --faults'],
    [['--faults', '9', '--from', 'HEAD'], '--from has no effect with --faults'],
    [['--faults', '9', '--kills', '20'], '--kills has no effect with --faults'],
    [['--sdk', '--bus', 'kafka'], '--bus has no effect with --sdk'],
    [['--webhooks', '9', '--only', 'kafka'], '--only has no effect with --webhooks'],
    [['--rolling', '--only', 'kafka'], '--only has no effect with --rolling'],
  ])('throws an error that names the fault of the arguments %p', (given, message) => {
    expect(() => readOptions(given)).toThrow(message);
  });

  it('accepts fractions, and returns help for -h', () => {
    expect(readOptions(['--rate', '0.5', '--users', '.25', '--every', '250'])).toMatchObject({
      rate: 0.5,
      users: 0.25,
      everyMs: 250,
    });
    expect(readOptions(['-h'])).toBe('help');
  });

  it('accepts names of processes after --only, and any name of a fault with --faults', () => {
    expect(readOptions(['--only', 'postgres,partner-gateway'])).toMatchObject({
      only: ['postgres', 'partner-gateway'],
    });
    expect(readOptions(['--faults', '9', '--only', 'kill'])).toMatchObject({ faults: 9, only: ['kill'] });
  });
});
