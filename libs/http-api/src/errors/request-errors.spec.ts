import { ValidationFailedError } from './request-errors';

describe('ValidationFailedError', () => {
  it('names each field only once in its message, before the colon', () => {
    const error = new ValidationFailedError([
      { field: 'limit', message: 'limit must be at least 1' },
      { field: 'address.zip', message: 'zip must be a string' },
      { field: 'user_id', message: 'must be the KRN of a user' },
    ]);
    expect(error.message).toBe(
      'limit: must be at least 1; address.zip: must be a string; user_id: must be the KRN of a user',
    );
  });

  it('does not change the fields that it is given', () => {
    const fields = [{ field: 'limit', message: 'limit must be at least 1' }];
    expect(new ValidationFailedError(fields).fields).toEqual(fields);
  });
});
