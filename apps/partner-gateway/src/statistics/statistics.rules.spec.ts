import { IANAZone, Settings } from 'luxon';
import type { Period } from './statistics.dto';
import { periodsOf } from './statistics.rules';

const DECEMBER = new Date('2026-12-15T12:00:00Z');
const JULY = new Date('2026-07-15T12:00:00Z');

describe.each([DECEMBER, JULY])('periodsOf, when the current time is %p,', (now) => {
  // The periods must not depend on the current time. Luxon alone would resolve ambiguous local times with the zone's current offset, which
  // differs between December and July.
  beforeAll(() => {
    Settings.now = () => now.getTime();
  });
  afterAll(() => {
    Settings.now = () => Date.now();
  });

  function startsOf(timeZone: string, from: string, to: string, by: Period = 'day'): (string | null)[] {
    const periods = periodsOf({ from, to, by, timeZone }, now);
    if (!('starts' in periods)) throw new Error(JSON.stringify(periods));
    return periods.starts.map((start) => start.toUTC().toISO({ suppressSeconds: true, suppressMilliseconds: true }));
  }

  it.each([
    ['America/Havana', '2026-11-01', '2026-11-01T04:00Z', '2026-11-02T05:00Z'],
    ['Atlantic/Azores', '2026-10-25', '2026-10-25T00:00Z', '2026-10-26T01:00Z'],
  ])('starts a day with two midnights at the first midnight: %s %s', (timeZone, day, start, end) => {
    expect(startsOf(timeZone, day, day)).toEqual([start, end]);
  });

  it.each<[string, Period, string, string, string]>([
    ['in a range that begins in summer', 'day', '2026-10-30', '2026-11-01', '2026-11-01T04:00Z'],
    ['in a range that begins in winter', 'day', '2026-01-15', '2026-11-01', '2026-11-01T04:00Z'],
    ['at the end of a range that begins in winter', 'day', '2026-01-15', '2026-10-31', '2026-11-01T04:00Z'],
    ['as the first day of a month', 'month', '2026-11-20', '2026-11-20', '2026-11-01T04:00Z'],
    [
      'as the first day of a month in a range that begins in winter',
      'month',
      '2026-01-15',
      '2026-11-20',
      '2026-11-01T04:00Z',
    ],
  ])('starts a day with two midnights at the first midnight %s', (_title, by, from, to, start) => {
    expect(startsOf('America/Havana', from, to, by)).toContain(start);
  });

  it.each([
    ['whose midnight is skipped', 'America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00Z', '2018-11-05T02:00Z'],
    ['whose midnight is skipped', 'Asia/Beirut', '2026-03-29', '2026-03-28T22:00Z', '2026-03-29T21:00Z'],
    ['before which an hour occurs twice', 'Asia/Beirut', '2026-10-25', '2026-10-24T22:00Z', '2026-10-25T22:00Z'],
    ['before which a day is skipped', 'Pacific/Apia', '2011-12-31', '2011-12-30T10:00Z', '2011-12-31T10:00Z'],
    ['in which an hour occurs twice', 'Europe/Berlin', '2026-10-25', '2026-10-24T22:00Z', '2026-10-25T23:00Z'],
  ])('returns the end of the previous day as the start of a day %s: %s %s', (_title, timeZone, day, start, end) => {
    expect(startsOf(timeZone, day, day)).toEqual([start, end]);
  });
});

describe('periodsOf', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each(['+05:37', '-05:00', '\u221205:00'])(
    'refuses the offset %s as a time zone on every version of Node',
    (timeZone) => {
      // Node 22 and later accept offsets as time zones.
      jest.spyOn(IANAZone, 'isValidZone').mockReturnValue(true);
      expect(periodsOf({ from: '2026-03-01', to: '2026-03-01', by: 'day', timeZone }, JULY)).toEqual([
        { field: 'timeZone', message: 'timeZone must be a name of the IANA time zone database' },
      ]);
    },
  );
});
