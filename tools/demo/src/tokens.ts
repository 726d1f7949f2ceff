import type { Scene } from './scene';

const OVERLAP_SECONDS = 3_600;

interface AuditEntry {
  action: string;
  entityId: string;
}

/** Shows the rotation of a token: the old token works for another hour, or until the manager revokes it. @returns the new token */
export async function rotateToken(scene: Scene, old: { id: string; token: string }): Promise<string> {
  const { narrator } = scene;
  const read = async (token: string): Promise<[number, unknown]> => {
    const { status, body } = await scene.partner(token, 'GET', '/postback');
    return [status, body.code];
  };
  narrator.chapter('The manager rotates the token, with an hour of overlap');
  const rotated = await scene.manager('POST', `/tokens/${old.id}/rotate`, {
    body: { overlapSeconds: OVERLAP_SECONDS },
  });
  scene.expectStatus(rotated, 201);
  const token = String(rotated.body.token);
  narrator.equal('the new token works', await read(token), [200, undefined]);
  narrator.equal('the old token works too', await read(old.token), [200, undefined]);

  narrator.note('The partner has switched to the new token: the manager revokes the old one before the overlap ends.');
  scene.expectStatus(await scene.manager('DELETE', `/tokens/${old.id}`), 204);
  narrator.equal('the old token is refused at once', await read(old.token), [401, 'unauthorized']);
  narrator.equal('the new token keeps working', await read(token), [200, undefined]);
  const typo = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
  narrator.equal('a mistyped token is refused', await read(typo), [401, 'unauthorized']);

  const audit = await scene.manager('GET', '/audit?limit=50', { silent: true });
  scene.expectStatus(audit, 200);
  const acts = (audit.body.items as AuditEntry[]).filter(({ entityId }) => entityId === old.id);
  narrator.equal('each action is in the audit trail', acts.map(({ action }) => action).reverse(), [
    'token.issued',
    'token.rotated',
    'token.revoked',
  ]);
  narrator.check(
    'the audit trail does not contain the tokens',
    ![token, old.token].some((secret) => audit.text.includes(secret)),
  );
  return token;
}
