import type { Reader, ReaderWorld } from './reader';

let nextId = 1_000_000;
/** An alert id from which on a thousand are no other user's. */
export const freshIds = (): number => (nextId += 1_000);

export const idsOf = (alerts: readonly { alertId: number }[]): number[] => alerts.map(({ alertId }) => alertId);

/** A user's alerts. @throws Error when the answer is not 200 */
export async function listAlerts(
  world: ReaderWorld,
  user: Reader,
  query = '',
): Promise<{ alertId: number; bureau: string; read: boolean }[]> {
  const { status, body } = await world.idp.request('GET', `/me/alerts${query}`, user);
  if (status !== 200) throw new Error(`the list was answered with ${status}`);
  return body.userAlerts;
}
