import type { FastifyInstance, HTTPMethods } from 'fastify';
import router from 'find-my-way';

/**
 * More characters than any parameter of a path has. A router finds no route for a parameter beyond this maximum, so the
 * path would count as unknown.
 */
const MAX_PARAM_LENGTH = 64 * 1024;

/** Records which methods each path has, so that a wrong method is distinguished from an unknown path. */
export class AllowedMethods {
  private readonly routers = new Map<string, router.Instance<router.HTTPVersion.V1>>();

  /** Starts to record. Must be called before the first route is registered. */
  observe(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const name of [method].flat()) this.add(name as HTTPMethods, url);
    });
  }

  private add(method: string, url: string): void {
    if (method === 'OPTIONS' || url === '*' || url === '/*') return;
    let routes = this.routers.get(method);
    if (!routes) this.routers.set(method, (routes = router({ maxParamLength: MAX_PARAM_LENGTH })));
    if (!routes.hasRoute('GET', url)) routes.on('GET', url, () => undefined);
  }

  /** Returns the methods of a path; an empty list for an unknown path. @param url the path of a request, with or without a query */
  of(url: string): string[] {
    const path = url.split('?', 1)[0] as string;
    return [...this.routers].filter(([, routes]) => routes.find('GET', path)).map(([method]) => method);
  }
}
