import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A service of docker-compose.yml, reduced to the fields that are checked. */
export interface ComposeService {
  readonly image: string;
  readonly build?: { readonly dockerfile?: string; readonly args?: Readonly<Record<string, string>> };
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly profiles?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

export interface ComposeFile {
  /** The operator's private key, with which commands of the CLI sign their calls of internal routes. */
  readonly 'x-operator'?: { readonly privateKey: string };
  readonly services: Readonly<Record<string, ComposeService>>;
}

/** Matches a reference that contains no other reference: `${NAME}` or `${NAME:-default}`. */
const REFERENCE = /\$\{(\w+)(?::-([^${}]*))?\}/g;

/**
 * Reads a compose file as Docker Compose does: resolves anchors and merges, and replaces each `${NAME}` and `${NAME:-default}`, from
 * the innermost outwards.
 *
 * @throws Error that shows the text with a reference of any other form
 */
export function readCompose(file: string, env: NodeJS.ProcessEnv): ComposeFile {
  const document: unknown = parse(readFileSync(file, 'utf8'), { merge: true });
  return interpolated(document, env) as ComposeFile;
}

function interpolated(value: unknown, env: NodeJS.ProcessEnv): unknown {
  if (typeof value === 'string') return replaceReferences(value, env);
  if (Array.isArray(value)) return value.map((entry) => interpolated(entry, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, interpolated(entry, env)]));
}

function replaceReferences(text: string, env: NodeJS.ProcessEnv): string {
  let replaced = text;
  for (let before = ''; before !== replaced;) {
    before = replaced;
    replaced = replaced.replace(REFERENCE, (_, name: string, fallback = '') => env[name] || fallback);
  }
  if (replaced.includes('${')) throw new Error(`docker-compose.yml: ${text} is not of the form \${NAME:-default}`);
  return replaced;
}

/**
 * Returns the host port that a service publishes. @throws Error if it does not publish exactly one port, on 127.0.0.1
 */
export function publishedPort(name: string, { ports = [] }: ComposeService): number {
  const [, published] = /^127\.0\.0\.1:(\d+):\d+$/.exec(ports.length === 1 ? String(ports[0]) : '') ?? [];
  if (published === undefined) throw new Error(`the service ${name} must publish one port, on 127.0.0.1`);
  return Number(published);
}
