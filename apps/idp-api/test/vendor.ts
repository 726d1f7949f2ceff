import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { VendorRoute } from '../src/array/vendor-routes';

export const VENDOR_SERVER_TOKEN = 'vendor-server-token';
export const VENDOR_APP_KEY = 'vendor-app-key';

/** A call to the vendor, as the test vendor received it. */
export interface VendorCall {
  readonly route: VendorRoute;
  readonly method: string;
  readonly path: string;
  readonly clientKey: string;
  /** The values of the named groups of the route's `pattern`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever was sent
  readonly body: any;
}

export type VendorAnswer = readonly [status: number, body?: object];

/** One route of the vendor. `pattern` has named groups, including `clientKey` where the path has one. */
export interface TestVendorRoute {
  readonly route: VendorRoute;
  readonly method: string;
  readonly pattern: RegExp;
  readonly answer: (call: VendorCall, vendor: TestVendor) => VendorAnswer;
}

/**
 * How a route misbehaves:
 * - `error`: answers 500
 * - `conflict`: answers 409
 * - `refuse`: answers that the identity is not confirmed
 * - `slow`: does the route's normal work after `delayMs`
 * - `hang`: never answers
 */
export interface VendorFault {
  readonly fault: 'error' | 'conflict' | 'hang' | 'slow' | 'refuse';
  readonly delayMs?: number;
  /** How many calls have the fault; all calls if omitted. */
  times?: number;
  /** The user whose calls have the fault. If omitted, the calls about all users have it, including calls in the background. */
  readonly clientKey?: string;
  /** The product code whose calls have the fault. If omitted, the calls about all codes have it. */
  readonly code?: string;
}

type VendorStatus = 'active' | 'cancelled';

export interface VendorUser {
  readonly clientKey: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what was sent
  data: any;
  readonly enrollments: Map<string, VendorStatus>;
}

/** The enrollments of a user. Their state at any earlier time can be read. */
export class Enrollments extends Map<string, VendorStatus> {
  private readonly log: { readonly at: number; readonly code: string; readonly status: VendorStatus }[] = [];

  override set(code: string, status: VendorStatus): this {
    // The constructor of Map may call `set` before the fields of this class exist.
    this.log?.push({ at: performance.now(), code, status });
    return super.set(code, status);
  }

  /** Returns the enrollments at an earlier time. @param at a time of `performance.now()` */
  asOf(at: number): Map<string, VendorStatus> {
    return new Map(this.log.filter((entry) => entry.at <= at).map(({ code, status }) => [code, status]));
  }
}

/** Runs before and after the vendor carries out a call. If the hook throws, the connection breaks before the answer. */
export type VendorHook = (call: VendorCall, moment: 'before' | 'after') => void | Promise<void>;

/** A vendor on a real server, with the routes of users, verifications, tokens and enrollments, and the routes that a test adds. */
export class TestVendor {
  readonly users = new Map<string, VendorUser>();
  readonly calls: VendorCall[] = [];
  readonly faults = new Map<VendorRoute, VendorFault>();
  hook: VendorHook = () => undefined;
  /** Returns how old the state is from which the next read of enrollments is answered, ms: the lag of a replica. */
  lagMs: () => number = () => 0;
  private server!: Server;
  private port = 0;

  private constructor(private readonly routes: readonly TestVendorRoute[]) {}

  /** @param routes further routes, in addition to those of users, verifications, tokens and enrollments */
  static async start(routes: readonly TestVendorRoute[] = []): Promise<TestVendor> {
    const vendor = new TestVendor([...USER_ROUTES, ...routes]);
    await vendor.listen();
    return vendor;
  }

  get environment(): NodeJS.ProcessEnv {
    return { VENDOR_URL: `http://127.0.0.1:${this.port}/vendor/api`, VENDOR_APP_KEY, VENDOR_SERVER_TOKEN };
  }

  /** Starts to listen. After `stop`, the port is the same as before. */
  async listen(): Promise<void> {
    this.server = createServer((request, response) => {
      this.serve(request).then(
        (answer) => {
          if (!answer) return void response.destroy();
          const [status, body] = answer;
          response.statusCode = status;
          if (body) response.setHeader('content-type', 'application/json');
          response.end(body ? JSON.stringify(body) : undefined);
        },
        () => response.destroy(),
      );
    });
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Returns the codes that a user is enrolled in. */
  activeCodes(clientKey: string): string[] {
    const enrollments = [...(this.users.get(clientKey)?.enrollments ?? [])];
    return enrollments.flatMap(([code, status]) => (status === 'active' ? [code] : [])).sort();
  }

  callsOf(route: VendorRoute, clientKey: string): VendorCall[] {
    return this.calls.filter((call) => call.route === route && call.clientKey === clientKey);
  }

  private async serve(request: IncomingMessage): Promise<VendorAnswer | null> {
    const text = await textOf(request);
    if (request.headers['x-array-server-token'] !== VENDOR_SERVER_TOKEN) return [401, { error: 'unauthorized' }];
    const url = new URL(request.url ?? '/', 'http://vendor');
    const path = url.pathname.replace('/vendor/api', '');
    const found = this.routes.find(({ method, pattern }) => method === request.method && pattern.test(path));
    if (!found) return [404, { error: 'no such route' }];
    const params = { ...found.pattern.exec(path)?.groups };
    const body = text === '' ? undefined : (JSON.parse(text) as { clientKey?: string; appKey?: string });
    if ((body?.appKey ?? url.searchParams.get('appKey')) !== VENDOR_APP_KEY) return [401, { error: 'no app key' }];
    const clientKey = params['clientKey'] ?? body?.clientKey ?? url.searchParams.get('clientKey') ?? '';
    const call = { route: found.route, method: found.method, path, clientKey, params, query: url.searchParams, body };
    return this.answer(found, call);
  }

  private async answer(found: TestVendorRoute, call: VendorCall): Promise<VendorAnswer | null> {
    this.calls.push(call);
    await this.hook(call, 'before');
    const fault = this.takeFault(call);
    if (fault?.fault === 'error') return [500, { error: 'fault' }];
    if (fault?.fault === 'conflict') return [409, { error: 'conflict' }];
    if (fault?.fault === 'hang') return new Promise(() => undefined);
    if (fault?.fault === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.delayMs ?? 500));
    const answer = fault?.fault === 'refuse' ? ([200, { authenticated: false }] as const) : found.answer(call, this);
    await this.hook(call, 'after');
    return answer;
  }

  private takeFault({ route, clientKey, params }: VendorCall): VendorFault | undefined {
    const fault = this.faults.get(route);
    if (fault?.clientKey !== undefined && fault.clientKey !== clientKey) return undefined;
    if (fault?.code !== undefined && fault.code !== params['code']) return undefined;
    if (fault?.times !== undefined && --fault.times <= 0) this.faults.delete(route);
    return fault;
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

const NOT_FOUND: VendorAnswer = [404, { error: 'unknown user' }];

const forUser =
  (answer: (user: VendorUser, call: VendorCall) => VendorAnswer): TestVendorRoute['answer'] =>
  (call, vendor) => {
    const user = vendor.users.get(call.clientKey);
    return user ? answer(user, call) : NOT_FOUND;
  };

const enrollmentOf = (user: VendorUser, code: string): object => ({
  enrollmentId: `${user.clientKey}-${code}`,
  productCode: code,
  status: user.enrollments.get(code),
});

const USER = /^\/user\/v2\/(?<clientKey>[^/]+)$/;
const PRODUCT = /^\/monitoring\/v2\/(?<clientKey>[^/]+)\/(?<code>[^/]+)$/;

const USER_ROUTES: readonly TestVendorRoute[] = [
  {
    route: 'users',
    method: 'PUT',
    pattern: USER,
    answer: ({ clientKey, body }, { users }) => {
      const enrollments = users.get(clientKey)?.enrollments ?? new Enrollments();
      users.set(clientKey, { clientKey, data: body, enrollments });
      return [200, { clientKey }];
    },
  },
  {
    route: 'users',
    method: 'DELETE',
    pattern: USER,
    answer: ({ clientKey }, { users }) => {
      users.delete(clientKey);
      return [204];
    },
  },
  {
    route: 'verify',
    method: 'POST',
    pattern: /^\/authenticate\/v2$/,
    answer: forUser(() => [200, { authenticated: true }]),
  },
  {
    route: 'token',
    method: 'POST',
    pattern: /^\/authenticate\/v2\/usertoken$/,
    answer: forUser(({ clientKey }, { body }) => {
      const expirationDate = Math.floor(Date.now() / 1000) + Number(body.ttlInSeconds);
      return [200, { userToken: `token-of-${clientKey}`, expirationDate }];
    }),
  },
  {
    route: 'enrollments',
    method: 'GET',
    pattern: /^\/monitoring\/v2\/(?<clientKey>[^/]+)$/,
    answer: (call, vendor) => {
      const user = vendor.users.get(call.clientKey);
      if (!user) return NOT_FOUND;
      const lagMs = vendor.lagMs();
      const { enrollments: now } = user;
      const enrollments = lagMs > 0 && now instanceof Enrollments ? now.asOf(performance.now() - lagMs) : now;
      return [
        200,
        { enrollments: [...enrollments.keys()].map((code) => enrollmentOf({ ...user, enrollments }, code)) },
      ];
    },
  },
  {
    route: 'enrollments',
    method: 'PUT',
    pattern: PRODUCT,
    answer: forUser((user, { params }) => {
      user.enrollments.set(params['code'] as string, 'active');
      return [200, enrollmentOf(user, params['code'] as string)];
    }),
  },
  {
    route: 'enrollments',
    method: 'DELETE',
    pattern: PRODUCT,
    answer: forUser((user, { params }) => {
      user.enrollments.set(params['code'] as string, 'cancelled');
      return [204];
    }),
  },
];
