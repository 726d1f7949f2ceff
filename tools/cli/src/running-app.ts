import { findStack } from '@tandem/stack-client';

/**
 * Returns the URL of an app of the stack that runs on this machine; undefined if there is no such stack, or if it is not the stack at `url`.
 *
 * @param app an app or, for the base URL of the stack, `edge`
 * @param url the base URL of a stack, or the URL of a request to the stack or to its app
 */
export function urlOfRunningApp(app: string, url: string): string | undefined {
  const stack = findStack();
  const own = app === 'edge' ? stack?.baseUrl : stack?.apps[app]?.url;
  const isHere = [stack?.baseUrl, own].some(
    (base) => base !== undefined && new URL(base).origin === new URL(url).origin,
  );
  return isHere ? own : undefined;
}
