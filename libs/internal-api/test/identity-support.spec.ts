import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import {
  CHANGEABLE_FIELDS,
  DeletedSupportUser,
  EnrollWithReceipts,
  IDENTITY_SUPPORT_ERRORS,
  SupportChangeBody,
  supportEnrollPath,
  SupportUser,
  supportUserPath,
} from '../src';

const TIME = '2026-01-05T09:30:00.000Z';
const KRN = 'krn:tandem:dev:user:alice';

const details = {
  user_id: KRN,
  array_user_id: '6f0b6f0e-1d7c-5b6a-9d49-4f63a1f5f0a1',
  version: 0,
  auth_attempts: 0,
  remaining_auth_attempts: 3,
  last_auth_attempt: null,
  created_at: TIME,
};
const enrollment = {
  code: 'CREDIT_SCORE',
  active: false,
  created_at: TIME,
  updated_at: TIME,
  status_history: [{ status: 'inactive', at: TIME, reason: 'vendor' }],
};
const receipt = { subscriptionId: 'sub_1', entitlements: ['idp.identity'], issuedAt: TIME };

const problemsOf = (type: new () => object, data: unknown): string[] =>
  validateSync(plainToInstance(type, data), { forbidUnknownValues: false }).map(({ property }) => property);

describe('what support sees of a user', () => {
  it('has a profile of version 0 or 1, and enrollments whose history has only the statuses active and inactive', () => {
    const user = { array_user_details: details, enrollments: [enrollment], user_status_response: {} };
    expect(problemsOf(SupportUser, user)).toEqual([]);
    expect(problemsOf(SupportUser, { ...user, array_user_details: { ...details, version: 2 } })).toEqual([
      'array_user_details',
    ]);
    const unknown = [{ ...enrollment, status_history: [{ status: 'pending', at: TIME, reason: 'x' }] }];
    expect(problemsOf(SupportUser, { ...user, enrollments: unknown })).toEqual(['enrollments']);
    expect(new DeletedSupportUser()).toEqual({});
  });
});

describe('a change of personal data', () => {
  it('needs a valid ssn', () => {
    expect(problemsOf(SupportChangeBody, { dob: '1984-02-29' })).toEqual(['ssn']);
    for (const ssn of ['6789', '123456789']) expect(problemsOf(SupportChangeBody, { ssn })).toEqual([]);
    for (const ssn of ['678', '000123456', 6789, null]) expect(problemsOf(SupportChangeBody, { ssn })).toEqual(['ssn']);
  });

  it('may contain only an e-mail address, a phone number, an ssn, a birth date and an address', () => {
    const address = { street: '1 Main St', city: 'Portland', state: 'OR', zip: '97201' };
    const all = { emailAddress: 'a@b.example', phoneNumber: '5035550142', ssn: '6789', dob: '1984-02-29', address };
    expect(Object.keys(all)).toEqual([...CHANGEABLE_FIELDS]);
  });
});

describe('receipts', () => {
  it('are a list that may be empty; each receipt has a subscription, entitlements and a time', () => {
    expect(problemsOf(EnrollWithReceipts, { receipts: [receipt] })).toEqual([]);
    expect(problemsOf(EnrollWithReceipts, { receipts: [] })).toEqual([]);
    for (const bad of [
      { ...receipt, subscriptionId: '' },
      { ...receipt, entitlements: [] },
      { ...receipt, entitlements: [1] },
      { ...receipt, issuedAt: 'yesterday' },
    ]) {
      expect(problemsOf(EnrollWithReceipts, { receipts: [bad] })).toEqual(['receipts']);
    }
    expect(problemsOf(EnrollWithReceipts, {})).toEqual(['receipts']);
  });
});

it('a path contains the KRN of the user as one escaped segment', () => {
  expect(supportUserPath('krn:a/b')).toBe('/internal/support/users/krn%3Aa%2Fb');
  expect(supportEnrollPath('a')).toBe('/internal/support/users/a/enroll');
});

it('no two errors have the same code and status', () => {
  const codes = IDENTITY_SUPPORT_ERRORS.map(
    ([error, status]) => `${status} ${new (error as new () => Error & { code: string })().code}`,
  );
  expect(new Set(codes).size).toBe(codes.length);
});
