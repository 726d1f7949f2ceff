import { Agent, fetch as fetchWithAgent, type RequestInit as InitWithAgent } from 'undici';

/**
 * Connections are closed when they have been idle for this time, long before an app would close them (after 72 s).
 * Otherwise, a request that is sent while the app closes the connection would fail, which is not the app's fault.
 */
const IDLE_MS = 4_000;
const agent = new Agent({ keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS });

/** Sends a request like `fetch`, but never on a connection that has been idle for 4 s. */
export const fetchFromApp = async (url: string, init: RequestInit): Promise<Response> =>
  (await fetchWithAgent(url, { ...(init as InitWithAgent), dispatcher: agent })) as unknown as Response;
