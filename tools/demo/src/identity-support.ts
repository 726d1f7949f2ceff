import type { Answer } from './client';
import type { IdentityUser } from './identity-user';

/** The fields of a user's details that the demo checks. */
interface Details {
  readonly auth_attempts: number;
  readonly remaining_auth_attempts: number;
}

const detailsOf = ({ body }: Answer): Details => body['array_user_details'] as Details;

const REASON = 'demo: the user cannot change her data';

/**
 * Shows how support sees and ends the verification lockout of the user, enrolls the user with a receipt, and requests
 * that the enrollments are reconciled.
 */
export async function askSupport(user: IdentityUser): Promise<void> {
  const { scene, krn } = user;
  const { narrator, client, stack } = scene;
  const issuer = `${stack.sandbox.issuer}/token`;
  const mint = async (body: object): Promise<string> => {
    const minted = await client.call('POST', issuer, { body: { family: 'service', ...body } });
    scene.expectStatus(minted, 201);
    return String(minted.body.token);
  };
  const token = await mint({ sub: 'krn:tandem:demo:user:agent', scope: 'support' });
  const act = (method: string, path = '', body?: object, bearer = token): Promise<Answer> =>
    client.call(method, `${stack.baseUrl}/idp/support/users/${krn}${path}`, {
      token: bearer,
      body,
      headers: { 'x-support-reason': REASON },
    });

  narrator.chapter('The user calls support');
  const stranger = await mint({ sub: krn });
  narrator.equal("a user's own token is not accepted", (await act('GET', '', undefined, stranger)).status, 403);
  const seen = await act('GET');
  scene.expectStatus(seen, 200);
  const { auth_attempts: attempts, remaining_auth_attempts: left } = detailsOf(seen);
  narrator.equal('support sees the lock', [attempts, left], [1, 2]);
  narrator.check(
    'support sees no personal data',
    !seen.text.includes('Main St') && !seen.text.includes('Demonstrator'),
  );
  const unlocked = await act('POST', '/unlock');
  narrator.equal('support ends the lock', unlocked.status, 204);
  narrator.equal('all attempts are restored', detailsOf(await act('GET')).remaining_auth_attempts, 3);
  const invalid = await act('PATCH', '', { dob: '1980-02-29' });
  narrator.equal('a change needs an ssn', [invalid.status, Object.keys(invalid.body)], [400, ['error']]);
  const changed = await act('PATCH', '', { ssn: '6789', dob: '1980-02-29' });
  scene.expectStatus(changed, 200);
  narrator.equal(
    'the vendor confirms the data: all attempts are available',
    detailsOf(changed).remaining_auth_attempts,
    3,
  );

  narrator.chapter('Support enrolls by a receipt, and has the enrollments reconciled');
  const receipt = await mint({ sub: krn, entitlements: ['idp.identity'] });
  const foreign = await mint({ sub: 'krn:tandem:demo:user:other', entitlements: ['idp.titles'] });
  const refused = await act('POST', '/enroll', { srts: [receipt, foreign] });
  narrator.equal('one receipt of another user makes the whole request fail', refused.status, 400);
  scene.expectStatus(await act('POST', '/enroll', { srts: [receipt] }), 200);
  const accepted = await act('POST', '/enrollment-sync');
  scene.expectStatus(accepted, 202);
  narrator.note(`To follow it through the logs: npm run logs -- --event ${String(accepted.body.eventId)}`);
  narrator.note(`The audit trail of the user: npm run support -- audit --user ${krn}`);
}
