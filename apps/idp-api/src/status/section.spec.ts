import { setTimeout as delay } from 'node:timers/promises';
import type { EnrollmentCode } from '../array/enrollment-codes';
import { readSections, type Section, type SectionRequest, SectionTimeoutError } from './section';

const REQUEST: SectionRequest = {
  krn: 'krn:tandem:test:user:u1',
  arrayUserId: 'a1',
  version: 1,
  ownAlerts: { allReadAt: null, pushed: [], marks: {} },
  granted: new Set<EnrollmentCode>(['CREDIT_SCORE']),
  page: { offset: 0, count: 50 },
  timeoutMs: 50,
};
const never = new Promise<object>(() => undefined);
const section = (name: string, read: () => Promise<object>, code?: EnrollmentCode): Section => ({ name, code, read });

describe('readSections', () => {
  it('returns the payload of each section, and an error for sections that fail or hang', async () => {
    const failures: [string, unknown][] = [];
    const sections = [
      section('good', async () => ({ value: 1 }), 'CREDIT_SCORE'),
      section('slow', async () => delay(1, { value: 2 })),
      section('failing', async () => Promise.reject(new Error('broken'))),
      section('hanging', () => never),
    ];
    expect(await readSections(sections, REQUEST, (...failure) => failures.push(failure))).toEqual({
      good: { Ok: { value: 1 } },
      slow: { Ok: { value: 2 } },
      failing: { Err: 'provider unavailable' },
      hanging: { Err: 'provider unavailable' },
    });
    expect(failures).toEqual([
      ['failing', new Error('broken')],
      ['hanging', new SectionTimeoutError()],
    ]);
  });

  it('does not read a section whose entitlement the user lacks', async () => {
    const read = jest.fn(async () => ({}));
    const results = await readSections([section('scans', read, 'DATA_REMOVAL')], REQUEST, () => undefined);
    expect(results).toEqual({ scans: { Err: 'entitlements required' } });
    expect(read).not.toHaveBeenCalled();
  });

  it('keeps the order of the sections when they finish in another order', async () => {
    const sections = [section('a', () => delay(5, {})), section('b', async () => ({}))];
    expect(Object.keys(await readSections(sections, REQUEST, () => undefined))).toEqual(['a', 'b']);
  });
});
