/**
 * `npm test`: every test, with a real Postgres and a real Kafka of its own, from nothing. DATABASE_URL and KAFKA_BROKERS are
 * used when they are set. Arguments go to Jest: `npm test -- --selectProjects messaging`.
 */
import '../stack/node-version.mjs';

const { runTests } = await import('./test-run.mjs');
process.exitCode = await runTests(process.argv.slice(2));
