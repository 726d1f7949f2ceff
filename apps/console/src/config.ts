/** The settings of a deployment, from `config.json` next to the page. */
export interface ConsoleConfig {
  /** The URL of the OpenID Connect provider of managers and support. When it is empty, they cannot sign in. */
  readonly issuer: string;
  readonly clientId: string;
  /** The requested scopes, separated by spaces. */
  readonly scope: string;
}

let loaded: Promise<ConsoleConfig> | undefined;

/** Loads the configuration once; after a failure, the next call loads it again. @throws Error when it cannot be read */
export function loadConfig(): Promise<ConsoleConfig> {
  loaded ??= fetch(`${import.meta.env.BASE_URL}config.json`, { cache: 'no-cache' }).then(async (response) => {
    if (!response.ok) throw new Error(`config.json answered ${response.status}`);
    return (await response.json()) as ConsoleConfig;
  });
  loaded.catch(() => {
    loaded = undefined;
  });
  return loaded;
}
