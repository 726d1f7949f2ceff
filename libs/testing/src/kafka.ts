/** The test broker's addresses. @throws when the environment names none */
export function requireKafka(): string[] {
  const brokers = process.env['KAFKA_BROKERS'];
  if (!brokers)
    throw new Error('KAFKA_BROKERS is not set: run the tests with `npm test`, which starts a broker for them');
  return brokers.split(',');
}

/**
 * `describe` for what needs a real Kafka. Only where `npm test` could not start one (it says so, and sets KAFKA_SKIP) are the
 * tests skipped, and counted as such.
 */
export const describeKafka = (name: string, suite: () => void): void => {
  (process.env['KAFKA_SKIP'] ? describe.skip : describe)(name, suite);
};
