/** The maximum length of a line: a program that prints no end of line must not exhaust the memory. */
export const LONGEST_LINE = 64 * 1024;

/**
 * Calls `onLine` for each line of a program's output, also for a last line without an end. A longer line arrives in parts.
 * @param {import('node:stream').Readable} stream
 * @param {(line: string) => void} onLine
 */
export function eachLine(stream, onLine) {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text) => {
    // A \r at the end may be the first half of \r\n.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop();
    lines.forEach(inParts);
    while (rest.length > LONGEST_LINE) {
      onLine(rest.slice(0, LONGEST_LINE));
      rest = rest.slice(LONGEST_LINE);
    }
  });
  stream.on('end', () => {
    if (rest !== '') inParts(rest.replace(/\r$/, ''));
  });

  function inParts(line) {
    for (let at = 0; at === 0 || at < line.length; at += LONGEST_LINE) onLine(line.slice(at, at + LONGEST_LINE));
  }
}
