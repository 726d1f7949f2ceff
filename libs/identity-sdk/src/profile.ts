import type { CallOptions } from '../../../sdks/typescript/options.ts';
import type { Session } from './session.ts';
import type { DeletedProfile, Migration, NewProfile, Profile, ProfileChanges, UserToken } from './types.ts';

/** The calls for the user's identity data. The platform never returns the data itself, only which fields are stored. */
export class ProfileCalls {
  constructor(private readonly session: Session) {}

  /** @throws UserNotFoundError */
  get(options?: CallOptions): Promise<Profile> {
    return this.session.send({ method: 'GET', path: '/me', repeatable: 'always' }, options);
  }

  /**
   * Creates the profile, if the provider confirms the identity. If the answer is lost, the client does not repeat the call: call
   * `get` to find out whether the profile was created.
   *
   * @throws InvalidFieldsError, UserAlreadyExistsError, EntitlementsRequiredError, and a {@link LockError}
   */
  create(fields: NewProfile, options?: CallOptions): Promise<UserToken> {
    return this.session.send({ method: 'POST', path: '', body: { ...fields }, repeatable: 'unsent' }, options);
  }

  /**
   * Changes fields. With `ssn`, `dob` or `address`, the provider verifies the identity again.
   *
   * @throws InvalidFieldsError, UserNotFoundError, and a {@link LockError}
   */
  update(changes: ProfileChanges, options?: CallOptions): Promise<Profile> {
    return this.session.send({ method: 'PATCH', path: '/me', body: { ...changes }, repeatable: 'always' }, options);
  }

  /** Erases the profile and ends every enrollment. If the answer is lost, the client does not repeat the call. @throws UserNotFoundError */
  delete(options?: CallOptions): Promise<DeletedProfile> {
    return this.session.send({ method: 'DELETE', path: '/me', repeatable: 'unsent' }, options);
  }

  /**
   * Changes the profile to version 1, in which the user's entitlements can grant every product. A profile cannot return to version 0.
   *
   * @throws EntitlementsRequiredError, UserNotFoundError
   */
  migrate(options?: CallOptions): Promise<Migration> {
    const body = { version: 1 };
    return this.session.send({ method: 'POST', path: '/me/migration', body, repeatable: 'always' }, options);
  }
}
