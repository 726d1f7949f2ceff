import type { Answer } from './client';
import type { Scene } from './scene';

const PROTOCOL = 'wireguard';

/** Makes a VPN client's requests: the locations, the endpoints of one location, and a check for changes. */
export async function findServers(scene: Scene): Promise<void> {
  const { narrator } = scene;
  narrator.chapter('A VPN client looks for its servers');
  const token = await scene.mint(`krn:tandem:demo:user:vpn-${scene.run}`);
  const get = (path: string, headers?: Record<string, string>): Promise<Answer> =>
    scene.client.call('GET', `${scene.stack.baseUrl}/ids2/locations${path}`, { token, headers });

  const all = await get('');
  scene.expectStatus(all, 200);
  const known = { 'if-none-match': all.headers.get('etag') ?? '' };
  narrator.equal('a request with the ETag is answered with 304, not modified', (await get('', known)).status, 304);
  const filtered = await get(`?protocols=${PROTOCOL}`);
  scene.expectStatus(filtered, 200);
  const [locations, withProtocol] = [all, filtered].map(({ body }) => body.locations as { id: string }[]);
  narrator.check(
    `not every location has ${PROTOCOL}`,
    (withProtocol?.length ?? 0) > 0 && (withProtocol?.length ?? 0) < (locations?.length ?? 0),
    withProtocol?.length,
  );
  const { body } = await get(`/${withProtocol?.[0]?.id}/instances?protocols=${PROTOCOL}`);
  const types = (body.endpoints as { type: string }[]).map(({ type }) => type);
  narrator.check(`the first location with ${PROTOCOL} lists only endpoints for it`, new Set(types).size === 1, types);
  const unknown = await get('/atlantis/instances');
  narrator.equal(
    'an unknown location is not found',
    [unknown.status, unknown.body],
    [404, { error: 'location not found' }],
  );
}
