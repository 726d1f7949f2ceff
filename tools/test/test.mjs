/**
 * `npm test` runs every test. It starts a real Postgres unless DATABASE_URL is set, and a real Kafka unless KAFKA_BROKERS or
 * KAFKA_SKIP is set. If a Kafka is to be started and Java or Maven is missing, it
 * skips the tests that need Kafka.
 * Arguments go to Jest, and only the servers that the selected tests need are started: `npm test -- --selectProjects messaging`.
 */
import '../stack/node-version.mjs';

const { runTests } = await import('./test-run.mjs');
process.exitCode = await runTests(process.argv.slice(2));
