/** The test broker's addresses. @throws when the environment names none */
export function requireKafka(): string[] {
  const brokers = process.env['KAFKA_BROKERS'];
  if (!brokers)
    throw new Error('KAFKA_BROKERS is not set: the globalSetup of jest.config.js starts a broker for tests');
  return brokers.split(',');
}

/**
 * `describe` for what needs a real Kafka. Only where `npm test` could not start one (it says so, and sets KAFKA_SKIP) are the
 * tests skipped, and counted as such.
 */
export const describeKafka = (name: string, suite: () => void): void => {
  (process.env['KAFKA_SKIP'] ? describe.skip : describe)(name, suite);
};

/** What events can travel on, by the name that EVENT_BUS has for it. */
type Bus = 'kafka' | 'postgres';

/** `describe` for what needs a real bus of this kind. */
export const describeOnBus = (bus: Bus, suite: (bus: Bus) => void): void => {
  (bus === 'kafka' ? describeKafka : describe)(`the ${bus} bus`, () => suite(bus));
};

/** The suites that every bus must pass run once for each, with the same titles. */
export const describeOnEachBus = (suite: (bus: Bus) => void): void => {
  for (const bus of ['kafka', 'postgres'] as const) describeOnBus(bus, suite);
};
