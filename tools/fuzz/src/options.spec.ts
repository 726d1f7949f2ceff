import { readOptions } from '../options';

describe('the options of fuzz', () => {
  it.each([
    [['--requests', '0'], '--requests must be a whole number from 1 to 999999999, not 0'],
    [['--seed', '1.5'], '--seed must be a whole number from 0 to 999999999, not 1.5'],
  ])('refuse %p before anything is started', (given, message) => {
    expect(() => readOptions(given)).toThrow(message);
  });

  it('accept every seed that can be the default', () => {
    jest.spyOn(Date, 'now').mockReturnValue(3_000_000);
    expect(readOptions([])).toMatchObject({ seed: 0 });
    jest.restoreAllMocks();
    expect(readOptions(['--seed', '0'])).toMatchObject({ seed: 0 });
  });
});
