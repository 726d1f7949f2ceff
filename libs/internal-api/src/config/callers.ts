/** An app that other apps call: its row in the table of apps. */
export interface CalledApp {
  readonly name: string;
  /** The routes that each caller may use: `METHOD /path`, as the controllers declare them. */
  readonly callers?: Readonly<Record<string, readonly string[]>>;
}

/** Whether a caller may use a route of an app. @param route `METHOD /path`, as the controller declares it */
export const mayCall = (caller: string, { callers = {} }: CalledApp, route: string): boolean =>
  Object.hasOwn(callers, caller) && callers[caller]?.includes(route) === true;
