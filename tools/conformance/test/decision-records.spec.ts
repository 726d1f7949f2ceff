import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(__dirname, '../../../docs/decisions');
const RECORD_NAME = /^(\d{4})-.+\.md$/;
const STATUS = /^(accepted|amended by .+|superseded by .+)$/;

interface DecisionRecord {
  readonly file: string;
  readonly number: string;
  readonly title: string;
  readonly date: string | undefined;
  readonly status: string | undefined;
  readonly text: string;
}

function readRecord(file: string): DecisionRecord {
  const text = readFileSync(path.join(FOLDER, file), 'utf8');
  const [header = ''] = text.split('**Context.**');
  return {
    file,
    number: file.slice(0, 4),
    title: /^# \d+\. (.+)$/m.exec(header)?.[1] ?? '',
    date: /^- Date: (\d{4}-\d{2}-\d{2})$/m.exec(header)?.[1],
    status: /^- Status: (.+)$/m.exec(header)?.[1],
    text,
  };
}

/** Returns the numbers of the decision records that a line links to. */
const linkedFrom = (line: string): string[] =>
  [...line.matchAll(/\]\((\d{4})-[^)]+\)/g)].map(([, number]) => number ?? '');

describe('the decision records', () => {
  const records = readdirSync(FOLDER)
    .filter((file) => RECORD_NAME.test(file))
    .map(readRecord);
  const index = readFileSync(path.join(FOLDER, 'README.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ['))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  it.each(records)('$file has a date and a status', ({ date, status }) => {
    expect(date).toBeDefined();
    expect(status).toMatch(STATUS);
  });

  it('are all in the index, with their title, date and status', () => {
    expect(index.map((cells) => cells.slice(1, -1))).toEqual(
      records.map(({ file, number, title, date, status }) => [`[${number}](${file})`, title, date, status]),
    );
  });

  it.each([
    ['Supersedes', 'superseded by'],
    ['Amends', 'amended by'],
  ])('say "%s" in the later record if and only if the older record says "%s"', (relation, status) => {
    const forward = records.flatMap(({ number, text }) =>
      linkedFrom(new RegExp(`^- ${relation}: .+$`, 'm').exec(text)?.[0] ?? '').map((older) => `${older} ${number}`),
    );
    const backward = records.flatMap((record) =>
      record.status?.startsWith(status) ? linkedFrom(record.status).map((later) => `${record.number} ${later}`) : [],
    );
    expect(forward.toSorted()).toEqual(backward.toSorted());
  });
});
