/** A path prefix that the edge forwards to an app or a site. */
export interface PublicRoute {
  /** For example `/api/v2/partner`. */
  readonly prefix: string;
  /** The only paths that the edge forwards, after the prefix; `/` is the prefix itself. If omitted, the edge forwards every path. */
  readonly only?: readonly string[];
  /** The largest request body that the edge forwards, in bytes. Default: 65,536. */
  readonly bodyLimitBytes?: number;
}

/** One app of the platform. */
export interface AppRow {
  /**
   * The app's folder in `apps/`, and its consumer group. With `npm start`, `<NAME>_PORT` changes the port on which the app listens.
   * `<NAME>_URL` is the app's address, for the programs that call the app.
   */
  readonly name: string;
  /** The name of the app's database role and of its schema. */
  readonly role: string;
  /** The port on which the app listens on a developer's machine, unless `<NAME>_PORT` sets another one. */
  readonly port: number;
  /** The path prefixes that the app serves. If omitted, it serves none. */
  readonly routes?: readonly PublicRoute[];
  /** The paths below which the app serves a public `openapi.json`. */
  readonly docs?: readonly string[];
  /**
   * The internal routes that each caller may call, by the caller's name. A route is `METHOD /path`, as the controllers declare it. Nobody
   * may call an internal route that is not listed.
   */
  readonly callers?: Readonly<Record<string, readonly string[]>>;
  /** Whether the app gets FIELD_ENCRYPTION_KEYS of its own. */
  readonly encryptsFields?: boolean;
  /**
   * The options of the app's `dist/seed.js`, and for each option a file in the stack's folder. Apps are seeded in the order of their rows.
   * If omitted, the app has no seed.
   */
  readonly seed?: Readonly<Record<string, string>>;
}

/** A program that only serves files to browsers. */
export interface SiteRow {
  /** The name of the program's folder in `apps/`, of its image, and of its service in docker compose and Kubernetes. */
  readonly name: string;
  /** The port on which its container listens. */
  readonly port: number;
  /** The path prefixes that the program serves. */
  readonly routes: readonly PublicRoute[];
  /** Redirects: the key is a path, the value the address of the page to which it leads. */
  readonly redirects?: Readonly<Record<string, string>>;
}

/** Every app, in the order in which the apps are seeded and listed. */
export const APPS: readonly AppRow[];

/** Returns the row of an app. @throws Error when there is no app of this name */
export function appOf(name: string): AppRow;

/** Every program that only serves files. */
export const SITES: readonly SiteRow[];

/** The name of the only caller that is not an app: the commands that the person on call runs. */
export const OPERATOR: string;

/** The names of all programs that call internal routes. Each has a key of its own. */
export const CALLERS: readonly string[];

/** Returns the name of an app's variable. For example, `partner-gateway` and `PORT` give `PARTNER_GATEWAY_PORT`. */
export function variableOf(name: string, suffix: 'PORT' | 'URL'): string;
