import { InputValidationError } from '../bad-request/input-validation.errors';
import { readAlertId, readAlertPath, readSelection } from './alert-input.rules';

/** Returns the names of the fields that `read` reports as invalid, such as `alertIds[3]`; null when it reports none. */
function refusedBy(read: () => unknown): string[] | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof InputValidationError) return error.fields.map(({ field }) => field);
    throw error;
  }
}

describe('readAlertId', () => {
  it.each([
    ['1', 1],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', Infinity],
    ['99999999999999999999', Infinity],
    ['9'.repeat(400), Infinity],
  ])('reads %p as %p', (text, id) => {
    expect(readAlertId(text)).toBe(id);
  });

  it.each([
    '0',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    '+1',
    '01',
    ' 1',
    '1 ',
    '',
    'x',
    '١',
    '1\u0000',
    'null',
    'undefined',
    '1,2',
  ])('refuses %p', (text) => {
    expect(refusedBy(() => readAlertId(text))).toEqual(['alertId']);
  });
});

describe('readAlertPath', () => {
  it.each(['idp', 'exp', 'tui', 'efx'])('accepts the bureau %s', (bureau) => {
    expect(readAlertPath({ bureau, alertId: '7' })).toEqual({ bureau, alertId: 7 });
  });

  it.each([
    ['xyz', '7', ['bureau']],
    ['EXP', '7', ['bureau']],
    ['exp ', '7', ['bureau']],
    ['', '7', ['bureau']],
    ['constructor', '7', ['bureau']],
    ['exp', 'x', ['alertId']],
    ['xyz', 'x', ['bureau', 'alertId']],
  ])('refuses the bureau %p with the alert id %p, and names %p', (bureau, alertId, paths) => {
    expect(refusedBy(() => readAlertPath({ bureau, alertId }))).toEqual(paths);
  });
});

describe('readSelection', () => {
  it.each([[undefined], [null], [{}], [{ alertIds: null }], [{ alertIds: null, other: 1 }]])(
    'treats %p as all alerts',
    (body) => {
      expect(readSelection(body)).toBe('all');
    },
  );

  it('treats an empty list as no alerts', () => {
    expect(readSelection({ alertIds: [] })).toEqual([]);
  });

  it('returns each id once, as a number, and leaves out ids that no alert can have', () => {
    expect(readSelection({ alertIds: ['7', 8, 7, '8', '99999999999999999999', 1e21, Infinity] })).toEqual([7, 8]);
  });

  it.each<[unknown, string[]]>([
    [[], ['body']],
    ['1', ['body']],
    [7, ['body']],
    [false, ['body']],
    [{ other: 1 }, ['alertIds']],
    [{ alertids: [7] }, ['alertIds']],
    [{ alertIds: '7' }, ['alertIds']],
    [{ alertIds: { 0: 7 } }, ['alertIds']],
    [{ alertIds: 7 }, ['alertIds']],
    [{ alertIds: false }, ['alertIds']],
    [{ alertIds: [1, 'x', 2, null] }, ['alertIds[1]', 'alertIds[3]']],
    [{ alertIds: [[], {}, true, '', 1.5, -1, 0] }, [0, 1, 2, 3, 4, 5, 6].map((index) => `alertIds[${index}]`)],
  ])('refuses %p, and names %p', (body, paths) => {
    expect(refusedBy(() => readSelection(body))).toEqual(paths);
  });
});
