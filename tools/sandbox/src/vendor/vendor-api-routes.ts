import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { SandboxError } from '../errors';
import { detailsOf } from './alert-details';
import { applyFault, type FaultBook, type FaultRoute } from './faults';
import { monitorsOf, sampleInstitutions, sampleScores, sampleWatches } from './sample-data';
import { recordsOf, scansOf } from './scans';
import type { UserBook } from './user-book';
import type { Contact, VendorAlert, VendorUser } from './vendor-user';
import * as schemas from './vendor-schemas';

/** The credentials that a caller of the vendor's API needs. The platform has them as the vendor's customer. */
export interface VendorAccess {
  appKey: string;
  serverToken: string;
}

interface VendorParts {
  access: VendorAccess;
  users: UserBook;
  faults: FaultBook;
}

interface Call {
  params: { clientKey: string; productCode: string; bureau: string; alertId: string };
  query: { clientKey: string; bureau?: string; class?: string; count?: string; offset?: string };
  body: Record<string, unknown> & { clientKey: string; ttlInSeconds: number };
}

/** Handles a call. @param refused whether the identity must be refused @returns the answer; undefined for 204 */
type Work = (call: Call, refused: boolean) => object | undefined;

const TOKEN_HEADER = 'x-array-server-token';
const DEFAULT_COUNT = '50';

/** Registers the vendor's public API under `/vendor/api`. */
export function registerVendorApi(app: FastifyInstance, parts: VendorParts): void {
  void app.register(
    async (scope) => {
      checkAccess(scope, parts.access);
      registerUsers(scope, parts);
      registerIdentity(scope, parts);
      registerEnrollments(scope, parts);
      registerAlerts(scope, parts);
      registerReports(scope, parts);
    },
    { prefix: '/vendor/api' },
  );
}

/** Checks the server token of each request, then its `appKey`, which is in the body or, if the request has no body, in the query. */
function checkAccess(scope: FastifyInstance, { appKey, serverToken }: VendorAccess): void {
  scope.addHook('onRequest', async (request) => {
    if (request.headers[TOKEN_HEADER] !== serverToken) throw new SandboxError(401, `${TOKEN_HEADER} is not valid`);
  });
  scope.addHook('preHandler', async ({ body, query }) => {
    const sent = { ...(query as object), ...(body as object | null) } as { appKey?: string };
    if (sent.appKey !== appKey) throw new SandboxError(403, 'unknown appKey');
  });
}

/** Returns a handler that applies the fault of the route, and then calls `work`. */
const serve =
  (faults: FaultBook, route: FaultRoute, work: Work): RouteHandlerMethod =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const refused = await applyFault(faults.next(route), reply);
    if (reply.sent) return reply;
    const answer = work(request as unknown as Call, refused);
    return answer === undefined ? reply.code(204).send() : reply.send(answer);
  };

function registerUsers(scope: FastifyInstance, { users, faults }: VendorParts): void {
  const { userParams: params, putBody, patchBody, appQuery } = schemas;
  const url = '/user/v2/:clientKey';
  scope.put(
    url,
    { schema: { params, body: putBody } },
    serve(faults, 'users', ({ params: { clientKey }, body }) => {
      users.put(clientKey, fieldsOf(body), contactOf(body));
      return { clientKey };
    }),
  );
  scope.patch(
    url,
    { schema: { params, body: patchBody } },
    serve(faults, 'users', ({ params: { clientKey }, body }) => {
      users.patch(clientKey, fieldsOf(body), contactOf(body));
      return { clientKey };
    }),
  );
  scope.delete(
    url,
    { schema: { params, querystring: appQuery } },
    serve(faults, 'users', ({ params: { clientKey } }) => {
      users.delete(clientKey);
      return undefined;
    }),
  );
}

/** Returns only the names of the fields, because the file of the users contains no personal data. */
const fieldsOf = (body: object): string[] => Object.keys(body).filter((name) => schemas.PERSONAL_FIELDS.includes(name));

/** Returns the fields of a valid body by which people find a user. */
function contactOf(body: object): Contact {
  const names = ['firstName', 'lastName', 'emailAddress', 'phoneNumber'];
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}

function registerIdentity(scope: FastifyInstance, { users, faults }: VendorParts): void {
  scope.post(
    '/authenticate/v2',
    { schema: { body: schemas.clientBody } },
    serve(faults, 'verify', ({ body }, refused) => {
      users.get(body.clientKey);
      return { authenticated: !refused };
    }),
  );
  scope.post(
    '/authenticate/v2/usertoken',
    { schema: { body: schemas.userTokenBody } },
    serve(faults, 'token', ({ body: { clientKey, ttlInSeconds } }) => {
      users.get(clientKey);
      const expirationDate = Math.floor(Date.now() / 1000) + ttlInSeconds;
      return { userToken: `vut_${randomBytes(24).toString('base64url')}`, expirationDate };
    }),
  );
}

function registerEnrollments(scope: FastifyInstance, { users, faults }: VendorParts): void {
  const { userParams, enrollmentParams: params, appQuery: querystring, enrollBody: body } = schemas;
  scope.get(
    '/monitoring/v2/:clientKey',
    { schema: { params: userParams, querystring } },
    serve(faults, 'enrollments', ({ params: { clientKey } }) => ({ enrollments: users.get(clientKey).enrollments })),
  );
  const url = '/monitoring/v2/:clientKey/:productCode';
  scope.put(
    url,
    { schema: { params, body } },
    serve(faults, 'enrollments', ({ params: { clientKey, productCode } }) => users.enroll(clientKey, productCode)),
  );
  scope.delete(
    url,
    { schema: { params, querystring } },
    serve(faults, 'enrollments', ({ params: { clientKey, productCode } }) => {
      users.cancel(clientKey, productCode);
      return undefined;
    }),
  );
}

function registerAlerts(scope: FastifyInstance, { users, faults }: VendorParts): void {
  scope.get(
    '/alerts/v2',
    { schema: { querystring: schemas.pageQuery } },
    serve(faults, 'alerts', ({ query }) => pageOf(users.get(query.clientKey).alerts, query)),
  );
  scope.get(
    '/alerts/v2/:bureau/:alertId',
    { schema: { params: schemas.alertParams, querystring: schemas.clientQuery } },
    serve(faults, 'alerts', ({ params, query }) => {
      const { alerts } = users.get(query.clientKey);
      const found = alerts.find(
        ({ bureau, alertId }) => bureau === params.bureau && alertId === Number(params.alertId),
      );
      if (!found) throw new SandboxError(404, 'unknown alert');
      return detailsOf(found);
    }),
  );
  scope.get(
    '/nhw/v2/alerts',
    { schema: { querystring: schemas.pageQuery } },
    serve(faults, 'nhw', ({ query }) => pageOf(users.get(query.clientKey).alerts, { ...query, class: 'NHW' })),
  );
}

/** Returns a page of the matching alerts. @param all the alerts of a user, which are stored newest first */
function pageOf(all: VendorAlert[], { bureau, class: kind, count = DEFAULT_COUNT, offset = '0' }: Call['query']) {
  const matching = all.filter(
    (alert) => (bureau === undefined || alert.bureau === bureau) && (kind === undefined || alert.class === kind),
  );
  const alerts = matching.slice(Number(offset), Number(offset) + Number(count)).map((alert) => ({
    alertId: alert.alertId,
    bureau: alert.bureau,
    class: alert.class,
    createDate: alert.createDate,
    updatedDate: alert.updatedDate,
  }));
  return { total: matching.length, alerts };
}

/** Registers the reports: GET routes whose answers are computed from the stored user. */
function registerReports(scope: FastifyInstance, { users, faults }: VendorParts): void {
  const report = (url: string, route: FaultRoute, make: (user: VendorUser) => object): void => {
    scope.get(
      url,
      { schema: { querystring: schemas.clientQuery } },
      serve(faults, route, ({ query }) => make(users.get(query.clientKey))),
    );
  };
  report('/credit-scores/v2', 'credit-scores', (user) => ({ creditScoreHistory: sampleScores(user) }));
  report('/privacy/v2/scans', 'scans', (user) => ({ scans: scansOf(user, new Date()) }));
  report('/privacy/v2/records', 'scans', (user) => ({ perScan: recordsOf(user, new Date()) }));
  report('/monitors/v2', 'monitors', (user) => ({ monitors: monitorsOf(user) }));
  report('/nhw/v2/watches', 'nhw', (user) => ({ watches: sampleWatches(user) }));
  report('/accounts/v2', 'financial-accounts', (user) => ({ institutions: sampleInstitutions(user) }));
}
