/**
 * Runs a test broker as a forked program. It sends its parent `{ brokers, pid }` when the broker serves, and again
 * after each `kill` or `start` that the parent requests. On `stop` or SIGTERM, or when the parent ends, it stops the
 * broker and ends.
 */
import { startKafka } from './kafka.mjs';

const kafka = await startKafka();
const report = () => process.connected && process.send({ brokers: kafka.brokers, pid: kafka.pid });
const requests = {
  kill: () => kafka.kill().then(report),
  start: () => kafka.start().then(report),
  stop: () => kafka.stop().then(() => process.exit(0)),
};
process.on('message', (request) => requests[request]());
process.once('disconnect', requests.stop);
process.once('SIGTERM', requests.stop);
report();
