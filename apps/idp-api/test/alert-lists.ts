import type { Reader, ReaderWorld } from './reader';

let nextId = 1_000_000;
/** Returns the highest of a thousand consecutive alert ids that no other user has. */
export const freshIds = (): number => (nextId += 1_000);

export const idsOf = (alerts: readonly { alertId: number }[]): number[] => alerts.map(({ alertId }) => alertId);

/** Lists a user's alerts. @throws Error when the status is not 200 */
export async function listAlerts(
  world: ReaderWorld,
  user: Reader,
  query = '',
): Promise<{ alertId: number; bureau: string; read: boolean }[]> {
  const { status, body } = await world.idp.request('GET', `/me/alerts${query}`, user);
  if (status !== 200) throw new Error(`the list got the status ${status}`);
  return body.userAlerts;
}
