import { readOptions } from '../options';

describe('readOptions of bench', () => {
  it.each([
    [[], 'name a suite: chain, scale, '],
    [['nope'], 'the first argument is a suite (chain, scale, '],
    [['discovery', '--sales', '9'], '--sales has no effect in the suite discovery'],
  ])('throws an error that names the fault of the arguments %p', (given, message) => {
    expect(() => readOptions(given)).toThrow(message);
  });

  it.each([[['-h']], [['--help']], [['chain', '-h']], [['chain', '--help']]])(
    'returns help for the arguments %p',
    (given) => {
      expect(readOptions(given)).toBe('help');
    },
  );
});
