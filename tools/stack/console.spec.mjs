import { step } from './console.mjs';

describe('a step', () => {
  const { isTTY } = process.stdout;
  const lines = [];
  beforeEach(() => {
    lines.length = 0;
    process.stdout.isTTY = false;
    jest.spyOn(console, 'log').mockImplementation((line) => void lines.push(line));
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    process.stdout.isTTY = isTTY;
  });

  it('prints every 10 s how long it has been running and its progress, until it ends', async () => {
    let packages = 0;
    const ended = step(
      'install',
      () => new Promise((resolve) => setTimeout(resolve, 25_000)),
      () => `${(packages += 100)} of 250 packages`,
    );
    await jest.advanceTimersByTimeAsync(60_000);
    await ended;
    expect(lines).toEqual([
      '  … install: 100 of 250 packages after 10 s',
      '  … install: 200 of 250 packages after 20 s',
      expect.stringMatching(/^ {2}✓ install +25\.0 s$/),
    ]);
  });

  it('prints nothing more after it has failed', async () => {
    const failed = step('build', () => Promise.reject(new Error('no')));
    await expect(failed).rejects.toThrow('no');
    await jest.advanceTimersByTimeAsync(20_000);
    expect(lines).toEqual(['  ✗ build']);
  });
});
