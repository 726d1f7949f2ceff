/**
 * `npm test` runs every test. It starts a real Postgres unless DATABASE_URL is set, and a real Kafka unless KAFKA_BROKERS or KAFKA_SKIP is set. If
 * Kafka, a browser or Prometheus is needed but missing, the tests that need it are skipped, with a warning.
 *
 * Arguments go to Jest, and only the servers that the selected tests need are started: `npm test -- --selectProjects messaging`.
 */
import '../stack/node-version.mjs';

const { runTests } = await import('./test-run.mjs');
process.exitCode = await runTests(process.argv.slice(2));
