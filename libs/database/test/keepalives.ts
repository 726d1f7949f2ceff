import type { Client } from 'pg';

/** Returns after how many seconds the server's keepalives end the session of a client whose machine has vanished. */
export async function secondsUntilGivenUp(client: Client): Promise<number> {
  const { rows } = await client.query<{ name: string; setting: number }>(
    `select name, setting::int from pg_settings where name like 'tcp\\_keepalives\\_%'`,
  );
  const valueOf = (name: string): number => rows.find((row) => row.name === `tcp_keepalives_${name}`)?.setting ?? NaN;
  // 0 means the default of the operating system: usually more than two hours.
  const seconds = valueOf('idle') + valueOf('interval') * valueOf('count');
  return valueOf('idle') > 0 && valueOf('count') > 0 ? seconds : Infinity;
}
