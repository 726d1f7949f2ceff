/**
 * `npm test` runs every test. It starts a real Postgres and a real Kafka, unless DATABASE_URL and KAFKA_BROKERS are set. Arguments
 * go to Jest: `npm test -- --selectProjects messaging`.
 */
import '../stack/node-version.mjs';

const { runTests } = await import('./test-run.mjs');
process.exitCode = await runTests(process.argv.slice(2));
