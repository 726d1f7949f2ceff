/** `npm run partner`: what a partner manager does, by the admin API. */
import './node-version.mjs';

const { parseArgs } = await import('node:util');
const { describeRefusal, requestJson } = await import('./http.mjs');
const { COMMANDS } = await import('./partner-commands.mjs');
const { readStack } = await import('./stack-file.mjs');
const { show, table } = await import('./table.mjs');

const GLOBAL = {
  'base-url': { type: 'string' },
  token: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
};

/** A mistake of the caller, with what would be right. */
class UsageError extends Error {}

const synopsis = (name) => {
  const { takes = [], options = {}, needs = [] } = COMMANDS[name];
  const flags = Object.keys(options).map((flag) => (needs.includes(flag) ? `--${flag} …` : `[--${flag} …]`));
  return ['npm run partner --', name, ...takes, ...flags].join(' ');
};

const usage = () => `npm run partner -- COMMAND …

${Object.entries(COMMANDS)
  .map(([name, { takes = [], help }]) => `  ${[name, ...takes].join(' ').padEnd(30)} ${help}`)
  .join('\n')}

  --base-url URL  and  --token TOKEN   of a stack elsewhere (TANDEM_BASE_URL, TANDEM_MANAGER_TOKEN); else the one that
                  npm start runs here. The token needs the scope partner:manage.
  --json          prints the answer as it came
  COMMAND --help  shows its options
`;

/** @param {string[]} argv */
async function main([name, ...args]) {
  if (name === undefined || name === '--help' || name === 'help') return usage();
  const command = COMMANDS[name];
  if (!command) throw new UsageError(`there is no command "${name}"\n\n${usage()}`);
  const { values, positionals } = readArguments(name, args);
  if (values.help) return `${synopsis(name)}\n\n${command.help}\n`;
  const { takes = [], needs = [] } = command;
  const missing = [
    ...takes.slice(positionals.length),
    ...needs.filter((flag) => values[flag] === undefined).map((flag) => `--${flag}`),
  ];
  if (missing.length > 0) throw new UsageError(`missing: ${missing.join(', ')}\n${synopsis(name)}`);
  if (positionals.length > takes.length) throw new UsageError(`too many arguments\n${synopsis(name)}`);

  const { baseUrl, token, databaseUrl } = target(values);
  if (command.run) {
    const get = (path) => readFact(`${baseUrl}${path}`, token);
    return command.run(positionals, values, { get, baseUrl, databaseUrl });
  }
  const { method = 'GET', path, body } = command.request(positionals, values);
  const answer = await requestJson(method, `${baseUrl}${path}`, { token, body });
  if (answer.status >= 400) throw new Error(describeRefusal(answer));
  if (answer.body === null) return command.done?.(positionals) ?? 'done';
  return values.json ? JSON.stringify(answer.body, null, 2) : readable(answer.body);
}

/** An answer that says something, also one that nothing is there or can be reached. @throws for any other refusal */
async function readFact(url, token) {
  const answer = await requestJson('GET', url, { token });
  if (answer.status >= 400 && answer.status !== 404 && answer.status !== 503) throw new Error(describeRefusal(answer));
  return answer;
}

/** @returns {{ values: Record<string, any>, positionals: string[] }} */
function readArguments(name, args) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { ...GLOBAL, ...COMMANDS[name].options } });
  } catch (error) {
    throw new UsageError(`${error.message}\n${synopsis(name)}`);
  }
}

/** Where to, with which token, and the database that dead letters are looked for in. */
function target(values) {
  const baseUrl = values['base-url'] ?? process.env.TANDEM_BASE_URL;
  const token = values.token ?? process.env.TANDEM_MANAGER_TOKEN;
  const { DATABASE_URL = null } = process.env;
  if (baseUrl && token) return { baseUrl: baseUrl.replace(/\/+$/, ''), token, databaseUrl: DATABASE_URL };
  if (baseUrl || token) throw new UsageError('--base-url and --token belong together');
  const stack = readStack();
  return { baseUrl: stack.baseUrl, token: stack.partners.manager.token, databaseUrl: stack.postgres.url };
}

/** A page as a table in the width of the terminal, anything else as name and value. `--json` has everything. */
function readable(body) {
  // A sale has items too: only a page says whether there is more.
  if (!Array.isArray(body.items) || body.hasMore === undefined) {
    const width = Math.max(...Object.keys(body).map((key) => key.length));
    return Object.entries(body)
      .map(([key, value]) => `${key.padEnd(width)}  ${show(value)}`)
      .join('\n');
  }
  if (body.items.length === 0) return 'none';
  const text = table(body.items, process.stdout.columns ?? (Number(process.env.COLUMNS) || undefined));
  const notes = [
    ...(text.includes('…') ? ['cut: --json has everything'] : []),
    ...(body.nextCursor ? [`more: --cursor ${body.nextCursor}`] : []),
  ];
  return [text, ...notes].join('\n');
}

try {
  console.log(await main(process.argv.slice(2)));
} catch (error) {
  console.error(error.message);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
