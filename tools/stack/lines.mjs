/** The maximum length of a line: a program that prints no end of line must not exhaust the memory. */
export const LONGEST_LINE = 64 * 1024;

/**
 * Calls `onLine` for each line of a program's output, also for a last line without an end. A line that is longer than
 * LONGEST_LINE is passed in parts, so the parts of a long JSON line are not JSON.
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
      const end = endOfPart(rest);
      onLine(rest.slice(0, end));
      rest = rest.slice(end);
    }
  });
  stream.on('end', () => {
    if (rest !== '') inParts(rest.replace(/\r$/, ''));
  });

  function inParts(line) {
    let left = line;
    do {
      const end = endOfPart(left);
      onLine(left.slice(0, end));
      left = left.slice(end);
    } while (left !== '');
  }
}

/**
 * Returns where the first part of a text ends; LONGEST_LINE if the text is shorter. A part never ends between the two halves of a character such as
 * an emoji.
 */
function endOfPart(text) {
  const isSplit = text.length > LONGEST_LINE && /[\uD800-\uDBFF]/.test(text[LONGEST_LINE - 1]);
  return isSplit ? LONGEST_LINE - 1 : LONGEST_LINE;
}
