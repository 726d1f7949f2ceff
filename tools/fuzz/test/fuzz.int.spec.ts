import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import {
  AnswerCheck,
  DOCUMENTS,
  type FuzzAnswer,
  type FuzzRequest,
  HostileRun,
  isBusy,
  type Operation,
  operationsOf,
  Platform,
  readDocument,
  requestsTo,
  rulesBeyondSchema,
} from '../src';
import { RunningApps } from './apps';
import { StartedOutside } from './outside';
import { addLocations } from './vpn-locations';

// The start of the platform takes long; all tests share it.
jest.setTimeout(120_000);

/**
 * Each run sends the same requests, apart from the ids of rows. FUZZ_SEED chooses different requests; FUZZ_REQUESTS sets
 * the number of requests for each operation.
 */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_122);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 40);
/** The approximate number of requests in the run of HostileRun. `npm run fuzz` sends more, to the built apps. */
const HOSTILE_REQUESTS = 2_500;
const HOSTILE_MS = 300_000;

/** The maximum number of attempts of a request that is answered with a documented 503 or 504. */
const BUSY_ATTEMPTS = 5;

let outside: StartedOutside;
let apps: RunningApps;
let platform: Platform;

beforeAll(async () => {
  outside = await StartedOutside.start();
  apps = await RunningApps.start(outside.environment);
  await addLocations(apps.database);
  platform = await Platform.create(apps, outside);
});
afterAll(async () => {
  await apps?.stop();
  await outside?.stop();
});

describe.each(DOCUMENTS)('docs/openapi/%s.json', (name, app, page) => {
  const document = readDocument(name);
  const check = new AnswerCheck(document);

  it('is what the running app serves (if not, run `npm run openapi`)', async () => {
    const served = await fetch(`${platform.apps.urlOf(app)}${page}/openapi.json`);
    expect(await served.json()).toEqual(document);
  });

  it.each(operationsOf(document).map((operation) => [operation.name, operation] as const))(
    `%s: ${REQUESTS} requests with the seed ${SEED} receive only documented answers, and at least one succeeds`,
    async (_name, operation) => {
      const requests = fc.sample(requestsTo(operation, document, platform.knownValues(operation)), {
        seed: SEED,
        numRuns: REQUESTS,
      });
      expect(await findingsOf(app, operation, requests, check)).toEqual([]);
    },
  );
});

describe('generated requests, mutations and sequences', () => {
  it(
    `cause no finding, and no request hangs (${HOSTILE_REQUESTS} requests, seed ${SEED})`,
    async () => {
      const run = new HostileRun(platform, {
        requests: HOSTILE_REQUESTS,
        seed: SEED,
        concurrency: 4,
        // An app that hangs never answers. The limit is long because other tests may keep the machine busy.
        limitMs: 30_000,
      });
      await run.run();
      expect(run.tally.findings).toEqual([]);
      expect(run.tally.requests).toBeGreaterThan(HOSTILE_REQUESTS);
    },
    HOSTILE_MS,
  );
});

/**
 * Sends a request, and repeats it while the answer is a documented 503 or 504, because a database can answer too late
 * on a busy machine. An app that is still busy after the last attempt is a finding.
 */
async function answerOf(app: string, operation: Operation, request: FuzzRequest): Promise<FuzzAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await platform.send(app, request);
    if (!isBusy(answer.status, operation) || attempt === BUSY_ATTEMPTS) return answer;
    await delay(attempt * 500);
  }
}

/**
 * Sends requests. Returns each complaint once, with the shortest request that causes it. If no request succeeds, this
 * is a complaint too.
 */
async function findingsOf(
  app: string,
  operation: Operation,
  requests: readonly FuzzRequest[],
  check: AnswerCheck,
): Promise<string[]> {
  const shortest = new Map<string, string>();
  const statuses = new Set<number>();
  for (const request of requests) {
    const answer = await answerOf(app, operation, request);
    statuses.add(answer.status);
    for (const complaint of check.complaintsOf(operation, request, answer, rulesBeyondSchema(operation.name))) {
      const shown = `${request.method} ${request.target} ${request.body ?? ''}`.trim();
      if (shown.length < (shortest.get(complaint)?.length ?? Infinity)) shortest.set(complaint, shown);
    }
  }
  if (![...statuses].some((status) => status < 300)) shortest.set('no request succeeded', [...statuses].join());
  return [...shortest].map(([complaint, shown]) => `${complaint} <- ${shown.slice(0, 400)}`);
}
