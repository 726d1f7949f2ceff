import type { Alert } from '../src/array/alerts';
import type { TestVendorRoute, VendorAnswer, VendorCall } from './vendor';

/** What the vendor knows about one user, in addition to the personal data. */
export interface VendorData {
  /** The alerts, newest first. */
  alerts: Alert[];
  creditScoreHistory: object[];
  scans: object[];
  perScan: object[];
  monitors: object[];
  watches: object[];
  institutions: object[];
  /** If set, the answer to every call, instead of the other data. */
  instead?: object;
  /** Whether the vendor refuses every call. */
  refuses?: boolean;
}

const NOT_FOUND: VendorAnswer = [404, { error: 'not found' }];
const REFUSED: VendorAnswer = [400, { error: 'bad request' }];

/** Provides the vendor's read routes, and stores the data that they return. */
export class VendorBook {
  private readonly users = new Map<string, VendorData>();

  readonly routes: readonly TestVendorRoute[] = [
    this.route('alerts', /^\/alerts\/v2$/, ({ alerts }, { query }) => pageOf(alerts, query)),
    this.route('alerts', /^\/alerts\/v2\/(?<bureau>[^/]+)\/(?<alertId>[^/]+)$/, ({ alerts }, { params }) => {
      const found = alerts.find(
        ({ bureau, alertId }) => bureau === params['bureau'] && String(alertId) === params['alertId'],
      );
      return found && { [`${found.bureau}Alert`]: { number: found.alertId, nested: { class: found.class } } };
    }),
    this.route('nhw', /^\/nhw\/v2\/alerts$/, ({ alerts }, { query }) =>
      pageOf(
        alerts.filter((alert) => alert.class === 'NHW'),
        query,
      ),
    ),
    this.route('nhw', /^\/nhw\/v2\/watches$/, ({ watches }) => ({ watches })),
    this.route('credit-scores', /^\/credit-scores\/v2$/, ({ creditScoreHistory }) => ({ creditScoreHistory })),
    this.route('scans', /^\/privacy\/v2\/scans$/, ({ scans }) => ({ scans })),
    this.route('scans', /^\/privacy\/v2\/records$/, ({ perScan }) => ({ perScan })),
    this.route('monitors', /^\/monitors\/v2$/, ({ monitors }) => ({ monitors })),
    this.route('financial-accounts', /^\/accounts\/v2$/, ({ institutions }) => ({ institutions })),
  ];

  /** Adds a user. */
  add(clientKey: string, data: Partial<VendorData>): void {
    const nothing = { alerts: [], creditScoreHistory: [], scans: [], perScan: [], monitors: [], watches: [] };
    this.users.set(clientKey, { ...nothing, institutions: [], ...data });
  }

  get(clientKey: string): VendorData {
    return this.users.get(clientKey) as VendorData;
  }

  remove(clientKey: string): void {
    this.users.delete(clientKey);
  }

  private route(
    route: TestVendorRoute['route'],
    pattern: RegExp,
    work: (data: VendorData, call: VendorCall) => object | undefined,
  ): TestVendorRoute {
    return {
      route,
      method: 'GET',
      pattern,
      answer: (call) => {
        const data = this.users.get(call.clientKey);
        if (data?.refuses || isTooLarge(call)) return REFUSED;
        const answer = data && (data.instead ?? work(data, call));
        return answer ? [200, answer] : NOT_FOUND;
      },
    };
  }
}

/** Returns whether a call exceeds the vendor's limits for alert ids and offsets. */
const isTooLarge = ({ params, query }: VendorCall): boolean =>
  (params['alertId'] ?? '').length > 15 || Number(query.get('offset')) > 100_000;

function pageOf(alerts: readonly Alert[], query: URLSearchParams): object {
  const [bureau, kind] = [query.get('bureau'), query.get('class')];
  const wanted = alerts.filter(
    (alert) => (bureau === null || alert.bureau === bureau) && (kind === null || alert.class === kind),
  );
  const offset = Number(query.get('offset'));
  return { total: wanted.length, alerts: wanted.slice(offset, offset + Number(query.get('count'))) };
}
