import type { CallOptions } from '../../../sdks/typescript/options.ts';
import { type Pace, REAL_PACE } from '../../../sdks/typescript/pace.ts';
import { Alerts } from './alerts.ts';
import { ProfileCalls } from './profile.ts';
import { dashboardOf } from './sections.ts';
import { type IdentityOptions, Session } from './session.ts';
import type {
  Alert,
  AlertPage,
  CreditScore,
  Dashboard,
  DashboardAnswer,
  Enrollment,
  FinancialAccountsStatus,
  MockStatus,
  MonitorOverview,
  NeighborhoodWatchStatus,
  Scan,
  ScansProgress,
  IssuedToken,
  Watch,
} from './types.ts';

/**
 * A client for the identity protection of one user.
 *
 *     const identity = new Identity({ baseUrl, token: () => auth.accessToken(), onSecondFactor: () => auth.confirm() });
 *     const { userAlerts } = await identity.dashboard();
 *     if (userAlerts.ok) show(userAlerts.value); else showHint(userAlerts.error);
 */
export class Identity {
  readonly profile: ProfileCalls;
  readonly alerts: Alerts;
  readonly creditScores: { list(options?: CallOptions): Promise<CreditScore[]> };
  readonly financialAccounts: { status(options?: CallOptions): Promise<FinancialAccountsStatus> };
  readonly monitors: { overview(options?: CallOptions): Promise<MonitorOverview> };
  readonly scans: {
    list(options?: CallOptions): Promise<Scan[]>;
    progress(options?: CallOptions): Promise<ScansProgress>;
  };
  readonly neighborhoodWatch: {
    status(options?: CallOptions): Promise<NeighborhoodWatchStatus>;
    /** Returns a page of the alerts of the neighborhood watch, newest first. */
    alerts(page?: AlertPage, options?: CallOptions): Promise<Alert[]>;
    watches(options?: CallOptions): Promise<Watch[]>;
  };
  /** Turns sample alerts and scans on and off; not available in production. */
  readonly mock: {
    status(options?: CallOptions): Promise<MockStatus>;
    enable(samples: Samples, options?: CallOptions): Promise<void>;
    disable(samples: Samples, options?: CallOptions): Promise<void>;
  };
  readonly #session: Session;

  /** @param pace replaced only in tests of the client itself */
  constructor(options: IdentityOptions, pace: Pace = REAL_PACE) {
    const session = new Session(options, pace);
    const get = <T>(path: string, call?: CallOptions, query?: AlertPage): Promise<T> =>
      session.send<T>({ method: 'GET', path, query, repeatable: 'always' }, call);
    const list = async <T>(name: string, path: string, call?: CallOptions, query?: AlertPage): Promise<T[]> =>
      (await get<Record<string, T[]>>(path, call, query))[name] ?? [];
    this.#session = session;
    this.profile = new ProfileCalls(session);
    this.alerts = new Alerts(session);
    this.creditScores = { list: (call) => list('creditScoreHistory', '/me/credit-scores', call) };
    this.financialAccounts = { status: (call) => get('/me/financial-accounts/status', call) };
    this.monitors = { overview: (call) => get('/me/monitors/overview', call) };
    this.scans = {
      list: (call) => get('/me/scans', call),
      progress: (call) => get('/me/scans/progress', call),
    };
    this.neighborhoodWatch = {
      status: (call) => get('/me/nhw/status', call),
      alerts: (page, call) => list('userAlerts', '/me/nhw/alerts', call, page),
      watches: (call) => list('watches', '/me/nhw/watches', call),
    };
    const mock = (method: 'POST' | 'DELETE') => (samples: Samples, call?: CallOptions) =>
      session.send<void>({ method, path: `/me/mock/${samples}`, repeatable: 'always' }, call);
    this.mock = { status: (call) => get('/me/mock', call), enable: mock('POST'), disable: mock('DELETE') };
  }

  /** Returns the dashboard. Each section succeeds or fails on its own. `count` and `offset` apply to the alerts. */
  async dashboard(page: AlertPage = {}, options?: CallOptions): Promise<Dashboard> {
    const call = { method: 'GET', path: '/me/dashboard', query: page, repeatable: 'always' } as const;
    return dashboardOf(await this.#session.send<DashboardAnswer>(call, options));
  }

  /**
   * Activates the products that the user is entitled to. Returns each enrollment, and whether it is already active. Inactive enrollments
   * become active later: do not repeat this call to wait for that.
   *
   * @throws EntitlementsRequiredError, UserNotFoundError, and a {@link LockError}
   */
  async enroll(options?: CallOptions): Promise<Enrollment[]> {
    const call = { method: 'POST', path: '/me/enroll', repeatable: 'always' } as const;
    return (await this.#session.send<{ enrollments: Enrollment[] }>(call, options)).enrollments;
  }

  /** Returns a token for the provider's embedded pages. @throws as `enroll` */
  userToken(options?: CallOptions): Promise<IssuedToken> {
    return this.#session.send({ method: 'POST', path: '/me/token', repeatable: 'always' }, options);
  }
}

/** The samples that can be shown among the user's own data. */
export type Samples = 'alerts' | 'scans';
