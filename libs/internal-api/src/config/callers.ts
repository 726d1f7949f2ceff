import { APPS } from '../../../../apps/apps';

/** Who may call which internal route of an app, from the table of apps. */
export const callersOf = (app: string): Readonly<Record<string, readonly string[]>> =>
  APPS.find(({ name }) => name === app)?.callers ?? {};

/** Whether the table allows a caller to use a route. @param route `METHOD /path`, as the controller declares it */
export const mayCall = (caller: string, app: string, route: string): boolean => {
  const callers = callersOf(app);
  return Object.hasOwn(callers, caller) && callers[caller]?.includes(route) === true;
};
