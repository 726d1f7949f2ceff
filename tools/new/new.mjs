/** `npm run new` writes an app, an event or an endpoint from the templates next to this file. */
import '../stack/node-version.mjs';

const USAGE = `npm run new -- app NAME [--role ROLE] [--scope SCOPE] [--route PREFIX …] [--without-events]
npm run new -- event TOPIC APP
npm run new -- endpoint APP FEATURE

app        adds a folder in apps/, a row in apps/apps.js, entries in tsconfig.json and package-lock.json, services in
           docker-compose.yml, manifests in k8s/ and entries in observability/prometheus
event      adds a class and a row in libs/contracts/src/events, and a sample; generates the schema and the AsyncAPI document
endpoint   adds a feature with errors, a test and conformance rules: POST saves a row and publishes FEATURE.created, GET reads a row.
           Also adds the event FEATURE.created if it is not defined yet

  --role ROLE      the database role and schema; the first word of NAME if omitted
  --scope SCOPE    the Nx scope: partner, identity, discovery or shared (default)
  --without-events the app publishes and handles no events, and has no bus
  --route PREFIX   a path prefix, such as /parcels, that the edge forwards to the app; may be given more than once
`;

const { parseArgs } = await import('node:util');
const { ensureInstalled } = await import('../stack/install.mjs');
ensureInstalled();
const { addApp } = await import('./app.mjs');
const { addEndpoint } = await import('./endpoint.mjs');
const { addEvent } = await import('./event.mjs');
const { Changes } = await import('./files.mjs');
const { UsageError } = await import('./names.mjs');

const COMMANDS = {
  app: (changes, [name], { route, 'without-events': withoutEvents, ...options }) =>
    addApp(changes, { name, routes: route, events: !withoutEvents, ...options }),
  event: (changes, [topic, app]) => addEvent(changes, { topic, app }),
  endpoint: (changes, [app, thing]) => addEndpoint(changes, { app, thing }),
};

/** How many names each command takes. */
const COUNTS = { app: 1, event: 2, endpoint: 2 };

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      role: { type: 'string' },
      scope: { type: 'string' },
      route: { type: 'string', multiple: true },
      'without-events': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { help, ...options } = values;
  const [command, ...names] = positionals;
  const given = Object.keys(options).find((name) => options[name] !== false);
  if (help) console.log(USAGE);
  else if (!command) throw new UsageError(`name what to add: ${Object.keys(COMMANDS).join(', ')}`);
  else if (!Object.hasOwn(COMMANDS, command)) throw new UsageError(`there is no command "${command}"`);
  else if (names.length > COUNTS[command]) throw new UsageError(`${command} takes no name such as "${names.at(-1)}"`);
  else if (command !== 'app' && given) throw new UsageError(`only app has the option --${given}`);
  else {
    const changes = new Changes();
    await COMMANDS[command](changes, names, options);
    for (const file of changes.created) console.log(`new     ${file}`);
    for (const file of changes.edited) console.log(`edited  ${file}`);
    for (const file of changes.derived) console.log(`derived ${file}`);
    for (const step of changes.next) console.log(`then    ${step}`);
  }
} catch (error) {
  const isUsage = error instanceof UsageError || error.code?.startsWith('ERR_PARSE_ARGS');
  console.error(isUsage ? `${error.message}\nnpm run new -- --help lists the options.` : error.message);
  process.exitCode = isUsage ? 2 : 1;
}
