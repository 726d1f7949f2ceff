import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TOPOLOGY } from '@tandem/contracts';
import { type AppDefinition, type BaseConfig, ConfigError, loadConfig, variablesOf } from '@tandem/service-defaults';
import { APPS } from '../../../apps/apps';

const APPS_FOLDER = path.resolve(__dirname, '../../../apps');
const SECTIONS = ['Environment', 'Metrics and alerts', 'Run and deploy it alone'];

/** The page of a service: its README. */
class ServicePage {
  private readonly text: string;

  constructor(app: string) {
    this.text = readFileSync(path.join(APPS_FOLDER, app, 'README.md'), 'utf8');
  }

  /** Returns the events in the list item `- **Publishes** …` or `- **Consumes** …`, sorted. */
  eventsOf(fact: string): string[] {
    const [, text = ''] = new RegExp(`^- \\*\\*${fact}\\*\\* (.*(?:\\n {2}.*)*)`, 'm').exec(this.text) ?? [];
    return [...text.matchAll(/`([^`]+)`/g)].map(([, event]) => String(event)).sort();
  }

  /** The bold words at the start of the list items, such as `Owns`. */
  get facts(): string[] {
    return [...this.text.matchAll(/^- \*\*(Owns|Publishes|Consumes|Asks)\*\* \S/gm)].map(([, fact]) => String(fact));
  }

  sectionOf(title: string): string | undefined {
    return this.text.split(/^## /m).find((section) => section.startsWith(`${title}\n`));
  }

  /** The variables of the environment table, with their defaults. */
  get environment(): Record<string, string> {
    const rows = (this.sectionOf('Environment') ?? '').matchAll(/^\| `([A-Z0-9_]+)` *\| (.*?) *\|/gm);
    return Object.fromEntries([...rows].map(([, name, value]) => [String(name), String(value)]));
  }
}

type Config = AppDefinition['config'];

async function configOf(app: string): Promise<Config> {
  // Imported by path, because an app is not a library of this project.
  const { app: definition } = (await import(path.join(APPS_FOLDER, app, 'src/app'))) as { app: AppDefinition };
  return definition.config;
}

/** Returns the variables without which the app does not start. */
function requiredOf(Config: Config): string[] {
  try {
    loadConfig(Config, {});
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.flatMap((problem) => /^(\S+) is not set/.exec(problem)?.[1] ?? []);
  }
}

/** Returns the default that the page must show for a variable; undefined for an object, which the page describes in words. */
function writtenDefault(Config: Config, name: string): string | undefined {
  if (requiredOf(Config).includes(name)) return 'required';
  const value = new Config()[name as keyof BaseConfig] as unknown;
  if (value === undefined) return '–';
  if (typeof value === 'number') return String(value);
  return typeof value === 'object' ? undefined : `\`${String(value)}\``;
}

const topicsOf = (app: string, side: 'publishers' | 'consumers'): string[] =>
  TOPOLOGY.filter((topic) => topic[side].includes(app))
    .map(({ event }) => event.topic)
    .sort();

describe.each(APPS.map(({ name }) => name))('the page of %s', (name) => {
  const page = new ServicePage(name);

  it('describes the data, events, calls, environment and alerts of the app, and how to run it', () => {
    expect(page.facts).toEqual(['Owns', 'Publishes', 'Consumes', 'Asks']);
    expect(SECTIONS.filter((title) => page.sectionOf(title) === undefined)).toEqual([]);
  });

  it('names the events that the topology lists for the app', () => {
    expect(page.eventsOf('Publishes')).toEqual(topicsOf(name, 'publishers'));
    expect(page.eventsOf('Consumes')).toEqual(topicsOf(name, 'consumers'));
  });

  it('lists the variables of the app’s config class with their defaults', async () => {
    const Config = await configOf(name);
    const written = page.environment;
    expect(Object.keys(written).sort()).toEqual(variablesOf(Config).sort());
    const wrong = Object.entries(written).filter(([variable, value]) => {
      const wanted = writtenDefault(Config, variable);
      return wanted !== undefined && wanted !== value;
    });
    expect(wrong).toEqual([]);
  });
});

describe('the page of console', () => {
  it('lists its variables with their defaults, as docs/operations.md does', async () => {
    // Imported by path, because the edge is not a library of this project.
    const { readConsole } = (await import(path.join(APPS_FOLDER, '../tools/edge/src/config'))) as {
      readConsole: (env: NodeJS.ProcessEnv) => { clientId: string; scope: string };
    };
    const { clientId, scope } = readConsole({});
    const written = new ServicePage('console').environment;
    expect(written).toEqual({
      CONSOLE_OIDC_ISSUER: '–',
      CONSOLE_OIDC_CLIENT_ID: `\`${clientId}\``,
      CONSOLE_OIDC_SCOPE: `\`${scope}\``,
    });
    const operations = readFileSync(path.join(APPS_FOLDER, '../docs/operations.md'), 'utf8');
    for (const [name, value] of Object.entries(written)) {
      expect(operations).toMatch(new RegExp(`^\\| \`${name}\` *\\| ${value} *\\|`, 'm'));
    }
  });
});

describe('docs/events.md', () => {
  const page = readFileSync(path.join(APPS_FOLDER, '../docs/events.md'), 'utf8');
  const appsIn = (cell: string): string[] =>
    APPS.map(({ name }) => name)
      .filter((name) => cell.includes(name))
      .sort();

  it('has a row for each topic, with its publishers and consumers', () => {
    const rows = [...page.matchAll(/^\| `([a-z]+\.[a-z.]+)` +\|[^|]*\|([^|]*)\|([^|]*)\|$/gm)].map(
      ([, topic, from = '', to = '']) => [topic, appsIn(from), appsIn(to)],
    );
    const topics = TOPOLOGY.map(({ event, publishers, consumers }) => [
      event.topic,
      [...publishers].sort(),
      [...consumers].sort(),
    ]);
    expect(rows.sort()).toEqual(topics.sort());
  });
});
