import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { ServiceUnavailableError } from '@tandem/http-api';
import { SaleExports } from './sale-exports';

const linesOf = async (output: Readable): Promise<string> => {
  let text = '';
  for await (const line of output) text += String(line);
  return text;
};

/** More text than a stream buffers, so that an export of this text ends only if the test reads it. */
const LONG = ['x'.repeat(100_000), 'x'.repeat(100_000)];

describe('exports of sales', () => {
  const start = (exports: SaleExports, lines: Iterable<string> = LONG): Promise<Readable> =>
    exports.start(
      () =>
        Promise.resolve(
          (async function* () {
            yield* lines;
          })(),
        ),
      new PassThrough(),
    );

  it('wait in order of arrival while the limit of running exports is reached', async () => {
    const exports = new SaleExports({ most: 1, longestMs: 60_000 });
    const first = await start(exports);
    const begun: string[] = [];
    const second = start(exports).then((output) => (begun.push('second'), output));
    const third = start(exports).then((output) => (begun.push('third'), output));
    await setImmediate();
    expect(begun).toEqual([]);
    expect(await linesOf(first)).toHaveLength(200_000);
    expect(await linesOf(await second)).toHaveLength(200_000);
    expect(begun).toEqual(['second']);
    expect(await linesOf(await third)).toHaveLength(200_000);
  });

  it('are refused when their wait times out, and then leave the queue', async () => {
    const exports = new SaleExports({ most: 1, longestMs: 60_000, waitMs: 20 });
    const first = await start(exports);
    await expect(start(exports)).rejects.toThrow(ServiceUnavailableError);
    await linesOf(first);
    expect(await linesOf(await start(exports))).toHaveLength(200_000);
  });

  it('are refused at once while the limit of waiting exports is reached', async () => {
    const exports = new SaleExports({ most: 1, longestMs: 60_000, waitMs: 1_000 });
    const first = await start(exports);
    const waiting = Array.from({ length: 32 }, () => start(exports));
    await expect(start(exports)).rejects.toThrow('Too many exports are running');
    await linesOf(first);
    for (const one of waiting) await linesOf(await one);
  });

  it('free their place when they fail, when their reader disconnects, and when they take too long', async () => {
    const exports = new SaleExports({ most: 1, longestMs: 50, waitMs: 1_000 });
    await expect(exports.start(() => Promise.reject(new Error('no page')), new PassThrough())).rejects.toThrow(
      'no page',
    );
    (await start(exports)).destroy();
    const endless = await start(
      exports,
      (function* () {
        for (;;) yield 'x'.repeat(100_000);
      })(),
    );
    await once(endless, 'error');
    expect(await linesOf(await start(exports))).toHaveLength(200_000);
  });
});
