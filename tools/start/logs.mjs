/** `npm run logs`: one story through the logs of all apps. */
import './node-version.mjs';

const { parseArgs } = await import('node:util');
const { setTimeout: delay } = await import('node:timers/promises');
const { logFiles, LogStory, LogTail, readStory } = await import('./log-story.mjs');
const { inHome } = await import('./paths.mjs');

const USAGE = `npm run logs -- --oid OID | --request ID | --event ID | --krn KRN | --trace ID  [--follow] [--json]

Prints every line of one story from the logs of all apps, in the order of time: of a sale, a request (X-Request-Id), an event
(ce_id), a user or a trace. Lines are joined by the ids that they name: an oid leads to the webhook, its events, the delivery and its attempts.
Reads .tandem/logs (TANDEM_DIR), of the stack that runs and of the start before.

  --follow   goes on with what is logged from now on, until Ctrl-C
  --json     whole lines
`;

/** Shown first, or of no use to a reader of one story. */
const LEFT_OUT = ['time', 'app', 'msg', 'level', 'pid', 'context', 'traceId'];
const POLL_MS = 200;
/** Anything else is written with escapes: a log line must not steer the terminal. */
const PRINTABLE = /^[\x20-\x7e]*$/;

class UsageError extends Error {}

function readOptions() {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean', default: false });
  try {
    const { values } = parseArgs({
      options: { oid: text, request: text, event: text, krn: text, trace: text, follow: flag, json: flag, help: flag },
    });
    const ids = [values.oid, values.request, values.event, values.krn, values.trace].filter((id) => id !== undefined);
    if (!values.help && (ids.length !== 1 || ids[0] === ''))
      throw new Error('give one of --oid, --request, --event, --krn, --trace');
    return { ...values, id: /** @type {string} */ (ids[0]) };
  } catch (error) {
    throw new UsageError(error.message);
  }
}

/** A line for people: when, who, what, then the other fields. */
function readable({ time, app, msg, level, ...fields }) {
  const rest = Object.entries(fields)
    .filter(([name, value]) => !LEFT_OUT.includes(name) && value !== null)
    .map(
      ([name, value]) =>
        `${name}=${typeof value === 'string' && PRINTABLE.test(value) ? value : JSON.stringify(value)}`,
    );
  const loud = level === 'info' || level === undefined ? [] : [String(level).toUpperCase()];
  return [time, String(app).padEnd(19), ...loud, msg, ...rest].join('  ');
}

async function main() {
  const { id, follow, json, help } = readOptions();
  if (help) return console.log(USAGE);
  const folder = inHome('logs');
  const files = logFiles(folder);
  if (files.size === 0 && !follow) throw new Error(`there are no logs in ${folder}: npm start writes them`);
  const print = (fields) => console.log(json ? JSON.stringify(fields) : readable(fields));
  const story = new LogStory(id);
  const found = await readStory(story, files);
  found.forEach(print);
  if (found.length === 0 && !follow) throw new Error(`none of the ${files.size} log files has a line about ${id}`);
  const tail = new LogTail(folder, files);
  for (; follow; await delay(POLL_MS)) {
    for (const line of tail.read()) {
      const fields = story.take(line);
      if (fields !== null) print(fields);
    }
  }
}

// The reader of the output may close it early: `npm run logs -- … | head`.
process.stdout.on('error', () => process.exit(0));

try {
  await main();
} catch (error) {
  console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error.message);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
