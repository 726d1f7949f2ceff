import { ValidationFailedError } from './request-errors';

describe('the message of invalid fields', () => {
  it('contains the name of a field only once, before the colon', () => {
    const error = new ValidationFailedError([
      { field: 'limit', message: 'limit must be at least 1' },
      { field: 'address.zip', message: 'zip must be a string' },
      { field: 'user_id', message: 'must be the KRN of a user' },
    ]);
    expect(error.message).toBe(
      'limit: must be at least 1; address.zip: must be a string; user_id: must be the KRN of a user',
    );
  });

  it('does not change the fields themselves', () => {
    const fields = [{ field: 'limit', message: 'limit must be at least 1' }];
    expect(new ValidationFailedError(fields).fields).toEqual(fields);
  });
});
