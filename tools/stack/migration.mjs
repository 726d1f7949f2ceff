import path from 'node:path';

/**
 * Migrates with the build of a checkout. The log lines of the migration, such as those of the Kafka client, are only in the logs, and in the
 * error if the migration fails.
 *
 * @param {import('./runner.mjs').Runner} runner
 * @param {Record<string, string>} env
 * @param {string} root  the checkout
 * @returns {Promise<string>} the number of migrations, for people
 */
export async function migrate(runner, env, root) {
  const output = await runner.task(process.execPath, [path.resolve(root, 'tools/stack/migrate.mjs')], {
    env,
    name: 'migrate',
  });
  return /^(?:up to date|\d+ migrations?)$/m.exec(output)?.[0] ?? '';
}
