import type { Reader, ReaderWorld } from './reader';

let nextId = 1_000_000;
/** Returns an alert id that is 1,000 higher than that of the previous call, so that lists of up to 1,000 alerts share no ids. */
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
