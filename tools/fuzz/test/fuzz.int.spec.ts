import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { AnswerCheck, type FuzzRequest, type OpenApiDocument, type Operation, operationsOf, requestsTo } from '../src';
import { Platform } from './platform';
import { rulesBeyondSchema } from './rules-beyond-schema';

// The start of the platform, which all operations share, takes long.
jest.setTimeout(120_000);

/** Each run sends the same requests. FUZZ_SEED selects others, FUZZ_REQUESTS sets how many per operation. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_122);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 40);

/** Returns the number of requests of an operation. Without input, they differ only in their credentials, so a third of the number is enough. */
const requestsOf = ({ parameters, body }: Operation): number =>
  parameters.length === 0 && !body ? Math.ceil(REQUESTS / 3) : REQUESTS;

/** Each app and its document. */
const DOCUMENTS = [
  ['client-api', 'idp-api', '/idp-docs'],
  ['support-api', 'idp-support', '/support-docs'],
  ['discovery-api', 'discovery', '/ids2-docs'],
  ['partner-api', 'partner-gateway', '/docs'],
  ['manager-api', 'partner-gateway', '/manager-docs'],
  ['postback-dispatcher', 'postback-dispatcher', '/docs'],
  ['voucher-service', 'voucher-service', '/docs'],
  ['webhook-ingest', 'webhook-ingest', '/docs'],
] as const;

const read = (name: string): OpenApiDocument =>
  JSON.parse(readFileSync(path.join(__dirname, `../../../docs/openapi/${name}.json`), 'utf8')) as OpenApiDocument;

let platform: Platform;

beforeAll(async () => {
  platform = await Platform.start();
});
afterAll(() => platform?.stop());

describe.each(DOCUMENTS)('docs/openapi/%s.json', (name, app, page) => {
  const document = read(name);
  const check = new AnswerCheck(document);

  it('is what the running app serves (if not, run `npm run openapi`)', async () => {
    const served = await fetch(`${platform.apps.urlOf(app)}${page}/openapi.json`);
    expect(await served.json()).toEqual(document);
  });

  it.each(operationsOf(document).map((operation) => [operation.name, requestsOf(operation), operation] as const))(
    `%s: %i requests of the seed ${SEED} receive only documented answers`,
    async (_name, numRuns, operation) => {
      const requests = fc.sample(requestsTo(operation, document, platform.knownValues(operation)), {
        seed: SEED,
        numRuns,
      });
      expect(await findingsOf(app, operation, requests, check)).toEqual([]);
    },
  );
});

/** Returns each complaint once, with the shortest request that causes it. */
async function findingsOf(
  app: string,
  operation: Operation,
  requests: readonly FuzzRequest[],
  check: AnswerCheck,
): Promise<string[]> {
  const shortest = new Map<string, string>();
  const statuses = new Set<number>();
  for (const request of requests) {
    const answer = await platform.send(app, request);
    statuses.add(answer.status);
    for (const complaint of check.complaintsOf(operation, request, answer, rulesBeyondSchema(operation.name))) {
      const shown = `${request.method} ${request.target} ${request.body ?? ''}`.trim();
      if (shown.length < (shortest.get(complaint)?.length ?? Infinity)) shortest.set(complaint, shown);
    }
  }
  if (![...statuses].some((status) => status < 300)) shortest.set('no request succeeded', [...statuses].join());
  return [...shortest].map(([complaint, shown]) => `${complaint} <- ${shown.slice(0, 400)}`);
}
