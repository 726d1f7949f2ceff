import { readOptions } from '../options';

describe('readOptions of fuzz', () => {
  it.each([
    [['--requests', '0'], '--requests must be a whole number from 1 to 999999999, not 0'],
    [['--seed', '1.5'], '--seed must be a whole number from 0 to 999999999, not 1.5'],
  ])('throws an error that names the fault of the arguments %p', (given, message) => {
    expect(() => readOptions(given)).toThrow(message);
  });

  it('accepts the seed 0, which can be the default', () => {
    jest.spyOn(Date, 'now').mockReturnValue(3_000_000);
    expect(readOptions([])).toMatchObject({ seed: 0 });
    jest.restoreAllMocks();
    expect(readOptions(['--seed', '0'])).toMatchObject({ seed: 0 });
  });
});
