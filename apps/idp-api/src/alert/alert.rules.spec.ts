import type { Alert } from '../array/alerts';
import { isRead, isWanted, mergePage, vendorWindow } from './alert.rules';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 5, 0, minute)).toISOString();

/** Returns an alert with `minute` as its id and as the minute of its times, except for the fields that `more` contains. */
const alert = (minute: number, more: Partial<Alert> = {}): Alert => ({
  alertId: minute,
  bureau: 'exp',
  class: 'CREDIT_MONITORING',
  createDate: at(minute),
  updatedDate: at(minute),
  ...more,
});
const ids = (alerts: readonly Alert[]): number[] => alerts.map(({ alertId }) => alertId);

describe('mergePage', () => {
  /** Builds a page as the service does: from the window of the vendor's list, not from the whole list. */
  function pageOf(vendor: readonly Alert[], extras: readonly Alert[], offset: number, count: number): number[] {
    const window = vendorWindow({ offset, count }, extras.length, false);
    const listed = vendor.slice(window.offset, window.offset + window.count);
    return ids(mergePage({ offset, count }, window, listed, extras));
  }

  const vendor = [90, 80, 70, 60, 50, 40, 30, 20, 10].map((minute) => alert(minute));

  it('returns the vendor’s page unchanged when we have no alerts to add', () => {
    expect(pageOf(vendor, [], 2, 3)).toEqual([70, 60, 50]);
  });

  it.each<[string, number[]]>([
    ['newest', [99, 98, 97]],
    ['oldest', [3, 2, 1]],
    ['between', [75, 45, 15]],
    ['everywhere', [99, 55, 54, 1]],
    ['many more than the vendor’s', Array.from({ length: 30 }, (_, index) => index * 4 + 1)],
  ])('returns the same pages as a merge of the whole lists, when our alerts are %s', (_title, minutes) => {
    const extras = minutes.map((minute) => alert(minute));
    const all = ids([...vendor, ...extras].sort((a, b) => b.alertId - a.alertId));
    for (let offset = 0; offset <= all.length + 2; offset++) {
      for (const count of [1, 2, 5, 100]) {
        expect(pageOf(vendor, extras, offset, count)).toEqual(all.slice(offset, offset + count));
      }
    }
  });

  it('puts our alert before the vendor’s when their times are equal', () => {
    const twin = alert(80, { alertId: 1000 });
    expect(pageOf(vendor, [twin], 0, 3)).toEqual([90, 1000, 80]);
  });

  it('shows a pushed alert once and in the vendor’s form when the vendor lists the alert', () => {
    const pushed = alert(70, { createDate: at(95), class: 'PUSHED' });
    const shown = mergePage({ offset: 0, count: 5 }, { offset: 0, count: 6 }, vendor.slice(0, 6), [pushed]);
    expect(ids(shown)).toEqual([90, 80, 70, 60, 50]);
    expect(shown[2]?.class).toBe('CREDIT_MONITORING');
  });

  it('keeps the order of our alerts that have the same time', () => {
    const twins = [1002, 1001].map((alertId) => alert(85, { alertId }));
    expect(pageOf(vendor, twins, 0, 3)).toEqual([90, 1002, 1001]);
    expect(pageOf(vendor, twins, 2, 2)).toEqual([1001, 80]);
  });

  it('orders alerts by time, not by the text of the time', () => {
    const east = alert(85, { createDate: '2026-01-05T03:25:00+02:00' });
    expect(pageOf(vendor, [east], 0, 3)).toEqual([90, 85, 80]);
  });
});

describe('vendorWindow', () => {
  it('begins before the page by the number of alerts that we add, but not below 0, and ends with the page', () => {
    expect(vendorWindow({ offset: 100, count: 50 }, 0, false)).toEqual({ offset: 100, count: 50 });
    expect(vendorWindow({ offset: 100, count: 50 }, 8, false)).toEqual({ offset: 92, count: 58 });
    expect(vendorWindow({ offset: 3, count: 50 }, 8, false)).toEqual({ offset: 0, count: 53 });
  });

  it('is the vendor’s newest 500 alerts if the vendor may list our alerts and the page ends within the first 500', () => {
    expect(vendorWindow({ offset: 0, count: 1 }, 8, true)).toEqual({ offset: 0, count: 500 });
    expect(vendorWindow({ offset: 400, count: 100 }, 8, true)).toEqual({ offset: 0, count: 500 });
    expect(vendorWindow({ offset: 401, count: 100 }, 8, true)).toEqual({ offset: 393, count: 108 });
  });
});

describe('isRead', () => {
  it('is false for an alert when the user has marked no alert', () => {
    expect(isRead(alert(10), true, { allReadAt: null, marks: new Map(), storedAt: new Map([[10, 0]]) })).toBe(false);
  });

  it('is true for alerts that existed when all alerts were marked as read, and false for later ones', () => {
    const state = { allReadAt: new Date(at(50)), marks: new Map<number, boolean>(), storedAt: new Map() };
    expect([49, 50, 51].map((minute) => isRead(alert(minute), true, state))).toEqual([true, true, false]);
  });

  it('follows the alert’s own mark, even if the mark of all alerts gives another result', () => {
    const marks = new Map([[10, false] as const, [60, true] as const]);
    const state = { allReadAt: new Date(at(50)), marks, storedAt: new Map([[60, Date.parse(at(55))]]) };
    expect([10, 20, 60, 70].map((minute) => isRead(alert(minute), true, state))).toEqual([false, true, true, false]);
  });

  it('uses the vendor’s date for an alert that the vendor lists and whose push was stored within 5 s of this date', () => {
    const created = Date.parse(at(10));
    const state = { allReadAt: new Date(created + 10), marks: new Map<number, boolean>() };
    const readIf = (isListed: boolean, ms: number) =>
      isRead(alert(10), isListed, { ...state, storedAt: new Map([[10, created + ms]]) });
    expect([readIf(true, 5_000), readIf(true, 5_001), readIf(false, 5_000)]).toEqual([true, false, false]);
  });

  it('uses the time at which a pushed alert was stored, not the time at which the vendor created it', () => {
    const storedAt = new Map([[10, Date.parse(at(51))] as const, [90, Date.parse(at(49))] as const]);
    const state = { allReadAt: new Date(at(50)), marks: new Map<number, boolean>(), storedAt };
    expect([10, 11, 90, 91].map((minute) => isRead(alert(minute), true, state))).toEqual([false, true, true, false]);
  });
});

describe('isWanted', () => {
  it('checks the bureau and the class of an alert, each only if the filter contains it', () => {
    const one = alert(1, { bureau: 'idp', class: 'NHW' });
    expect(isWanted(one, {})).toBe(true);
    expect(isWanted(one, { bureau: 'idp', class: 'NHW' })).toBe(true);
    expect(isWanted(one, { bureau: 'exp' })).toBe(false);
    expect(isWanted(one, { class: 'SSN' })).toBe(false);
  });
});
