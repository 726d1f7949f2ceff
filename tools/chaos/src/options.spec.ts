import { readOptions } from './options';

describe('the options of chaos', () => {
  it.each([
    [['--only', 'nope'], 'no process is named "nope"; the names are partner-gateway'],
    [['--upgrade', '--only', 'postgres'], 'no process is named "postgres"'],
    [['--faults', '1.5'], '--faults is a whole number from 1 to 999999, not 1.5'],
    [['--faults', '99999999999999999999'], '--faults is a whole number'],
    [['--replicas', '0'], '--replicas is a whole number'],
    [['--rolling', '--faults', '9'], 'are different runs'],
    [['--rolling', '--write'], '--write needs --faults'],
    [['--faults', '9', '--from', 'HEAD'], '--from needs --upgrade'],
  ])('refuse %p before anything is started', (given, message) => {
    expect(() => readOptions(given)).toThrow(message);
  });

  it('accept the names of processes, and the kinds of faults, which are checked later', () => {
    expect(readOptions(['--only', 'postgres,partner-gateway'])).toMatchObject({
      only: ['postgres', 'partner-gateway'],
    });
    expect(readOptions(['--faults', '9', '--only', 'kill'])).toMatchObject({ faults: 9, only: ['kill'] });
  });
});
