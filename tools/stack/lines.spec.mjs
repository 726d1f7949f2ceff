import { Readable } from 'node:stream';
import { eachLine, LONGEST_LINE } from './lines.mjs';

const linesOf = async (...chunks) => {
  const lines = [];
  const stream = Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: false },
  );
  await new Promise((resolve) => {
    eachLine(stream, (line) => lines.push(line));
    stream.on('end', () => resolve(undefined));
  });
  return lines;
};

describe('the lines of an output', () => {
  it('end with \\n, \\r\\n or \\r, also across chunks, and the last one may have no end', async () => {
    expect(await linesOf('a\nb', 'c\r', '\n\nd\re', '\n', 'f')).toEqual(['a', 'bc', '', 'd', 'e', 'f']);
    expect(await linesOf('a\r')).toEqual(['a']);
    expect(await linesOf('a\n')).toEqual(['a']);
    expect(await linesOf()).toEqual([]);
  });

  it('arrive in parts when they are long', async () => {
    const long = 'x'.repeat(2 * LONGEST_LINE + 1);
    const parts = [long.slice(0, LONGEST_LINE), long.slice(0, LONGEST_LINE), 'x'];
    expect(await linesOf(`${long}\nb`)).toEqual([...parts, 'b']);
    expect(await linesOf(long, '')).toEqual(parts);
  });

  it('are never divided in the middle of a character', async () => {
    const line = `${'x'.repeat(LONGEST_LINE - 1)}🙂y`;
    expect(await linesOf(`${line}\n`)).toEqual(['x'.repeat(LONGEST_LINE - 1), '🙂y']);
    expect(await linesOf(line)).toEqual(['x'.repeat(LONGEST_LINE - 1), '🙂y']);
  });
});
