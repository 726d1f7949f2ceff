import { APPS, variableOf } from '../../../apps/apps';
import type { ConsoleSettings } from './console-headers';

/**
 * The time after which the edge abandons an app that sends nothing. The edge then answers 503 or, if the answer has
 * begun, ends the connection.
 */
export const SILENCE_MS = 60_000;

/** The edge's address and the apps behind it, which `readConfig` reads from the environment. */
export interface EdgeConfig {
  host: string;
  port: number;
  /** The origin of each public app, by the app's name. */
  upstreams: Readonly<Record<string, string>>;
  /** The settings for the sign-in of the console. Default: managers and support cannot sign in */
  console?: ConsoleSettings;
}

/** The public apps: the edge forwards some paths of the base URL to them. */
export const PUBLIC_APPS = APPS.filter(({ routes, docs }) => routes !== undefined || docs !== undefined);

/** An environment with which the edge cannot start; the message names the variable. */
export class EdgeConfigError extends Error {}

/** Reads the configuration. @throws EdgeConfigError */
export function readConfig(env: NodeJS.ProcessEnv): EdgeConfig {
  const port = Number(env.EDGE_PORT || '8080');
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new EdgeConfigError(`EDGE_PORT must be a port from 0 to 65535, not "${env.EDGE_PORT}"`);
  }
  return {
    host: env.EDGE_HOST || '127.0.0.1',
    port,
    upstreams: Object.fromEntries(PUBLIC_APPS.map(({ name }) => [name, readOrigin(variableOf(name, 'URL'), env)])),
    console: readConsole(env),
  };
}

/** Reads the settings of the console, with the defaults of settings.sh in the console's image. @throws EdgeConfigError */
export const readConsole = (env: NodeJS.ProcessEnv): ConsoleSettings => ({
  issuer: readIssuer(env.CONSOLE_OIDC_ISSUER),
  clientId: env.CONSOLE_OIDC_CLIENT_ID || 'tandem-console',
  scope: env.CONSOLE_OIDC_SCOPE || 'openid profile offline_access partner:manage support',
});

function readIssuer(text = ''): string {
  if (text !== '' && (!URL.canParse(text) || !/^https?:/.test(text)))
    throw new EdgeConfigError('CONSOLE_OIDC_ISSUER must be an http(s) URL');
  return text;
}

function readOrigin(name: string, env: NodeJS.ProcessEnv): string {
  const text = env[name];
  if (!text || !URL.canParse(text) || !/^https?:/.test(text))
    throw new EdgeConfigError(`${name} must be an http(s) URL`);
  return new URL(text).origin;
}
