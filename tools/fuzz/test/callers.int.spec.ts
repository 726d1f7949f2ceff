import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { newKrn } from '@tandem/stack-client';
import { eventually } from '@tandem/testing';
import {
  fetchFromApp,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Parameter,
  PartnerAccounts,
  resolved,
} from '../src';
import { RunningApps } from './apps';
import { type Caller, createCallers } from './callers';
import { StartedOutside } from './outside';
import {
  BASE,
  createParties,
  ID_FIELDS,
  outcomeOf,
  PARTNER_REQUESTS,
  PartnerClient,
  type PartnerRequest,
  type Parties,
  unknownIds,
  valuesOf,
} from './partner-requests';
import {
  lineOf,
  UNDOCUMENTED_ROUTE,
  PUBLIC_APIS,
  type PublicApi,
  REQUIRED_RIGHTS,
  type Right,
} from './required-rights';

// The startup of the platform takes long; all tests share it.
jest.setTimeout(120_000);

const read = (api: PublicApi): OpenApiDocument =>
  JSON.parse(readFileSync(path.join(__dirname, `../../../docs/openapi/${api}.json`), 'utf8')) as OpenApiDocument;

const OPERATIONS = PUBLIC_APIS.flatMap(([api, app]) =>
  operationsOf(read(api)).map((operation) => ({ api, app, operation, name: operation.name })),
);

let outside: StartedOutside;
let apps: RunningApps;
let accounts: PartnerAccounts;
let callers: readonly Caller[];

beforeAll(async () => {
  outside = await StartedOutside.start();
  apps = await RunningApps.start(outside.environment);
  const manager = await outside.token('callers', { scope: 'partner:manage' });
  accounts = new PartnerAccounts(apps, () => manager, outside.postbackUrl);
  callers = await createCallers(apps, outside, accounts);
});
afterAll(async () => {
  await apps?.stop();
  await outside?.stop();
});

describe('the table of required rights', () => {
  it('has a line for each operation, and no line without an operation', () => {
    const lines = new Set(OPERATIONS.map(({ api, name }) => lineOf(api, name) ?? name));
    expect([...lines]).toEqual(expect.arrayContaining([...REQUIRED_RIGHTS]));
    expect(lines.size).toBe(REQUIRED_RIGHTS.length);
  });

  it.each([...new Set(PUBLIC_APIS.map(([, app]) => app))])(
    'covers every public route of %s except probes, metrics and API documents',
    (app) => {
      const documented = OPERATIONS.filter((row) => row.app === app).map(({ name }) =>
        name.replaceAll(/\{(\w+)\}/g, ':$1'),
      );
      expect(
        apps
          .publicRoutesOf(app)
          .filter((route) => !UNDOCUMENTED_ROUTE.test(route))
          .sort(),
      ).toEqual(documented.sort());
    },
  );
});

describe.each(PUBLIC_APIS)('%s', (api, app) => {
  const rows = OPERATIONS.filter((row) => row.api === api).flatMap(({ operation, name }) => {
    const line = lineOf(api, name);
    if (!line) return [];
    const [, , right] = line;
    return [[name, right, operation] as const];
  });

  it.each(rows)('%s admits exactly the callers with the right `%s`', async (_name, right, operation) => {
    const methods = operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method];
    for (const method of methods) {
      const answers = callers.map(async (caller) => [caller.name, await answerTo(caller, app, operation, method)]);
      const expected = callers.map((caller) => [caller.name, expectedFor(caller, api, right)]);
      expect({ method, ...Object.fromEntries(await Promise.all(answers)) }).toEqual({
        method,
        ...Object.fromEntries(expected),
      });
    }
  });
});

describe('a partner that uses the ids of another partner', () => {
  let client: PartnerClient;
  /** By kind of partner: the owner of rows, and the callers that must not reach these rows. */
  let parties: Record<PartnerRequest['kind'], Parties>;
  let rowsBefore: readonly string[];

  beforeAll(async () => {
    client = new PartnerClient(apps);
    parties = await createParties(accounts, client);
    rowsBefore = await rowsOfOwners();
  });

  /** Waits until no postback of the owners is pending, and returns the owners' lists. */
  const rowsOfOwners = () =>
    eventually(async () => {
      const targets = Object.values(parties).flatMap(({ owner, lists }) => lists.map((list) => [list, owner] as const));
      const answers = await Promise.all(targets.map(([list, { token }]) => client.send('GET', list, token)));
      const texts = answers.map(({ text }) => text);
      if (texts.some((text) => text.includes('"status":"pending"'))) throw new Error('not every postback is delivered');
      return texts;
    });

  it('is tested with every documented field that names a row', () => {
    const documented = OPERATIONS.filter(({ api }) => api === 'partner-api').flatMap(({ operation }) =>
      idFieldsOf(operation),
    );
    const tested = PARTNER_REQUESTS.map(({ operation, field }) => `${operation} ${field}`);
    expect(tested.sort()).toEqual(documented.sort());
  });

  it.each(PARTNER_REQUESTS.map((request) => [request.expected, request.operation, request.field, request] as const))(
    'receives %s from %s (%s), the same answer as for an unknown id',
    async (expected, _operation, _field, request) => {
      const { ids, strangers, ownIds } = parties[request.kind];
      for (const [stranger, token] of strangers) {
        const answer = await client.sendRequest(request, ids, ownIds, token);
        expect({ stranger, outcome: outcomeOf(answer) }).toEqual({ stranger, outcome: expected });
        const ofUnknown = await client.sendRequest(request, unknownIds(ids), ownIds, token);
        expect({ stranger, ...answer }).toEqual({ stranger, ...ofUnknown });
      }
    },
  );

  it('finds no row of another partner in a list, an export, the statistics or its configuration', async () => {
    for (const { owner, strangers, ids } of Object.values(parties))
      for (const [stranger, token] of strangers)
        for (const { operation } of OPERATIONS.filter(({ name }) => /^GET \/api\/v2\/partner\/[^{]+$/.test(name))) {
          const { text } = await client.send('GET', operation.path.slice(BASE.length), token);
          const found = valuesOf(owner, ids).filter((value) => text.includes(value));
          expect({ stranger, operation: operation.name, found }).toMatchObject({ found: [] });
        }
  });

  it('counts and replays no delivery of another partner', async () => {
    const range = { from: daysFromNow(-1), to: daysFromNow(1), status: 'delivered' };
    for (const [, token] of parties.promotion.strangers.slice(0, 2)) {
      const counted = await client.send('GET', `/postback/deliveries/replay?${new URLSearchParams(range)}`, token);
      expect(JSON.parse(counted.text)).toEqual({ count: 0 });
      const replayed = await client.send('POST', '/postback/deliveries/replay', token, range);
      expect(JSON.parse(replayed.text)).toEqual({ count: 0 });
      const { totals, items, postbacks } = JSON.parse((await client.send('GET', '/statistics', token)).text);
      expect({ totals, items, postbacks }).toMatchObject({
        totals: [],
        items: [],
        postbacks: { delivered: 0, failed: 0 },
      });
    }
  });

  it('has changed no row of another partner after all requests above', async () => {
    expect(await rowsOfOwners()).toEqual(rowsBefore);
  });

  it('sends requests that succeed when the owner of the rows sends them', async () => {
    for (const request of PARTNER_REQUESTS) {
      const { owner, ids } = parties[request.kind];
      const answer = await client.sendRequest(request, ids, ids, owner.token);
      expect(outcomeOf(answer)).toMatch(/^20\d /);
    }
  });
});

/** Returns the fields of an operation that name a row, in the form `GET /sales/{oid} path oid`. */
function idFieldsOf({ name, parameters, body }: Operation): string[] {
  const fields = Object.keys(body ? (resolved(body.schema, read('partner-api')).properties ?? {}) : {});
  return [...parameters.map((one) => [one.in, one.name] as const), ...fields.map((field) => ['body', field] as const)]
    .filter(([, field]) => ID_FIELDS.includes(field))
    .map(([place, field]) => `${name.replace(BASE, '')} ${place} ${field}`);
}

/** Returns what {@link answerTo} must return for a caller if the operation admits only callers with the right. */
function expectedFor({ rights, issuer }: Caller, api: PublicApi, right: Right): string {
  if (right === 'nothing' || rights.includes(right)) return 'admitted';
  if (right === 'second factor' && rights.includes('user')) return '400 second factor';
  // An API recognizes only the kinds of tokens that it uses, and treats any other token as if there were none.
  const isKnown =
    api === 'partner-api'
      ? issuer === 'partner-gateway' && right !== 'portal code'
      : right !== 'user' && right !== 'second factor' && issuer === 'service';
  return isKnown ? '403' : '401';
}

/**
 * Returns `admitted` if the operation itself answered, for example with 422; otherwise the status of the refusal or
 * failure.
 */
async function answerTo(caller: Caller, app: string, operation: Operation, method: string): Promise<string> {
  const token = await caller.token(operation.name);
  const answer = await fetchFromApp(apps.urlOf(app) + targetOf(operation), {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(operation.body && { 'content-type': 'application/json' }),
    },
    ...(operation.body && { body: '{}' }),
  });
  await answer.text();
  const { status, headers } = answer;
  if (headers.get('www-authenticate')?.includes('insufficient_user_authentication')) return `${status} second factor`;
  return status === 401 || status === 403 || status >= 500 ? String(status) : 'admitted';
}

/** Returns the path with new ids, so that no request reaches a row of another caller. */
const targetOf = ({ path: template, parameters }: Operation): string =>
  parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((target, parameter) => target.replace(`{${parameter.name}}`, newIdOf(parameter)), template);

function newIdOf({ name, schema }: Parameter): string {
  if (name === 'user_id') return newKrn('callers');
  if (name === 'alertId') return '1';
  return String(schema.enum?.[0] ?? randomUUID());
}

const daysFromNow = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
