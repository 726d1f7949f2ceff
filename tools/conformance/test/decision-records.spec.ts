import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(__dirname, '../../../docs/decisions');
const read = (file: string): string => readFileSync(path.join(FOLDER, file), 'utf8');
const records = readdirSync(FOLDER).filter((file) => /^\d{4}-/.test(file));

describe.each(records)('the decision record %s', (file) => {
  const [, number, title, date, status] =
    /^# (\d+)\. (.+)\n\n- Date: (\d{4}-\d{2}-\d{2})\n- Status: (accepted|superseded by .+|accepted, amended by .+)\n/.exec(
      read(file),
    ) ?? [];

  it('has its number, a date and a status', () => {
    expect({ number: Number(number), date, status }).toEqual({
      number: Number(file.slice(0, 4)),
      date: expect.any(String),
      status: expect.any(String),
    });
  });

  it('is in the index with its title, date and status', () => {
    const row = read('README.md')
      .split('\n')
      .find((line) => line.startsWith(`| [${Number(number)}](${file}) `));
    const cells = row?.split('|').map((cell) => cell.trim());
    expect(cells?.slice(1, 5)).toEqual([`[${number}](${file})`, title, date, status]);
  });
});
