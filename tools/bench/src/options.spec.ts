import { readOptions } from '../options';

describe('the options of bench', () => {
  it.each([
    [[], 'name a suite: chain, scale, '],
    [['nope'], 'the first argument is a suite (chain, scale, '],
    [['discovery', '--sales', '9'], '--sales has no effect in the suite discovery'],
  ])('refuse %p before anything is started', (given, message) => {
    expect(() => readOptions(given)).toThrow(message);
  });

  it.each([[['-h']], [['--help']], [['chain', '-h']], [['chain', '--help']]])('accept %p', (given) => {
    expect(readOptions(given)).toBe('help');
  });
});
