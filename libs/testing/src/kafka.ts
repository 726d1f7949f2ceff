/** Returns the test broker's addresses. @throws when the environment has none */
export function requireKafka(): string[] {
  const brokers = process.env['KAFKA_BROKERS'];
  if (!brokers)
    throw new Error('KAFKA_BROKERS is not set: the globalSetup of jest.config.js starts a broker for tests');
  return brokers.split(',');
}

/**
 * `describe` for tests that need a real Kafka. The tests are skipped, and counted as skipped, only if KAFKA_SKIP is set. If
 * KAFKA_BROKERS is not set and Java or Maven is missing, `npm test` sets KAFKA_SKIP and reports
 * what is missing.
 */
export const describeKafka = (name: string, suite: () => void): void => {
  (process.env['KAFKA_SKIP'] ? describe.skip : describe)(name, suite);
};

/** The kinds of bus, by their name in EVENT_BUS. */
type Bus = 'kafka' | 'postgres';

/**
 * `describe` for tests that need a real bus of the given kind.
 *
 * @param subject the beginning of the title, before the kind of bus
 */
export const describeOnBus = (bus: Bus, suite: (bus: Bus) => void, subject = 'an app on the'): void => {
  (bus === 'kafka' ? describeKafka : describe)(`${subject} ${bus} bus`, () => suite(bus));
};

/** Runs a suite once for each kind of bus, because every bus must pass the same tests. */
export const describeOnEachBus = (suite: (bus: Bus) => void, subject?: string): void => {
  for (const bus of ['kafka', 'postgres'] as const) describeOnBus(bus, suite, subject);
};
