/** A part of the base URL that the edge forwards to an app. */
export interface PublicRoute {
  /** For example `/api/v2/partner`. */
  readonly prefix: string;
  /** Paths below the prefix that exist; everything when left out. */
  readonly only?: readonly string[];
  /** Largest body that the app takes, bytes; 65,536 when left out. */
  readonly bodyLimitBytes?: number;
}

/** One app of the platform. */
export interface AppRow {
  /** The folder in `apps/`, and the app's consumer group. `<NAME>_PORT` moves its port; every app gets its address as `<NAME>_URL`. */
  readonly name: string;
  /** The database role, and the schema of the same name. */
  readonly role: string;
  /** Where it listens on a developer's machine, unless its variable sets another port. */
  readonly port: number;
  /** The parts of the base URL that it serves; none when left out. */
  readonly routes?: readonly PublicRoute[];
  /** The paths below which it serves an `openapi.json` to the public. */
  readonly docs?: readonly string[];
  /**
   * Who may call which of its internal routes: `METHOD /path`, as the controllers declare it. An internal route that is not listed is
   * refused to everybody.
   */
  readonly callers?: Readonly<Record<string, readonly string[]>>;
  /** Whether it gets FIELD_ENCRYPTION_KEYS of its own. */
  readonly encryptsFields?: boolean;
  /** Options of its `dist/seed.js` and their files in the stack's folder. Apps are seeded in the order of their rows. */
  readonly seed?: Readonly<Record<string, string>>;
}

/** A program that only serves files to browsers. */
export interface SiteRow {
  /** The name of its folder in `apps/`, its image, and its service in containers. */
  readonly name: string;
  /** The port of its container. */
  readonly port: number;
  /** The parts of the base URL that it serves. */
  readonly routes: readonly PublicRoute[];
  /** The addresses of the pages to which it redirects paths. */
  readonly redirects?: Readonly<Record<string, string>>;
}

/** Every app, in the order in which they are seeded and listed for people. */
export const APPS: readonly AppRow[];

/** Returns the row of an app. @throws Error when there is no app of this name */
export function appOf(name: string): AppRow;

/** Every program that only serves files. */
export const SITES: readonly SiteRow[];

/** The caller that is not an app: the commands of the person on call. */
export const OPERATOR: string;

/** Every program that calls an internal route: each has a key of its own. */
export const CALLERS: readonly string[];

/** The name of an app's variable: `partner-gateway`, `PORT` → `PARTNER_GATEWAY_PORT`. */
export function variableOf(name: string, suffix: 'PORT' | 'URL'): string;
