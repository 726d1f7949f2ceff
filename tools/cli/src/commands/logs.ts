import { setTimeout as delay } from 'node:timers/promises';
import { logFiles, type LogFields, LogStory, LogTail, readStory } from '../logs/log-story';
import { printable } from '@tandem/partner/listen';
import { inHome } from '@tandem/stack-client';
import { UsageError } from '../usage.errors';
import type { Commands } from './options';

const POLL_MS = 200;
/**
 * Fields that are left out at the end of a line, because they are printed at its start, or do not help the reader of a
 * story.
 */
const LEFT_OUT = ['time', 'app', 'msg', 'level', 'pid', 'context', 'traceId'];
/** Matches the texts that are printed as they are. Other texts are printed as JSON. */
const PLAIN = /^[\x20-\x7e]*$/;

const IDS = {
  oid: { type: 'string', describe: 'A sale or subscription' },
  request: { type: 'string', describe: 'A request (its X-Request-Id)' },
  event: { type: 'string', describe: 'An event (its ce_id)' },
  krn: { type: 'string', describe: 'A user' },
  trace: { type: 'string', describe: 'A trace' },
} as const;

/** `tandem logs`: follows one story through the logs of all apps. */
export const logsCommand = (parser: Commands): Commands =>
  parser.command(
    'logs',
    'Print every line of one story from the logs of all apps, in the order of time',
    (command) =>
      command
        .options(IDS)
        .option('follow', { type: 'boolean', describe: 'Continue with new log lines until Ctrl-C' })
        .epilogue(
          'The ids in one line find further lines: an oid leads to the webhook, its events, the delivery and its attempts. Reads .tandem/logs (TANDEM_DIR): the logs of the running stack and of the previous start.',
        ),
    async ({ oid, request, event, krn, trace, follow = false, json = false }: LogOptions) => {
      const [id, ...others] = [oid, request, event, krn, trace].filter((one) => one !== undefined);
      if (others.length > 0) throw new UsageError('give only one of --oid, --request, --event, --krn, --trace');
      if (!id) throw new UsageError('give one of --oid, --request, --event, --krn, --trace with a value');
      await printStory(id, follow, (fields) => console.log(json ? jsonOf(fields) : readable(fields)));
    },
  );

type LogOptions = { [K in keyof typeof IDS]?: string } & { follow?: boolean; json?: boolean };

async function printStory(id: string, follow: boolean, printLine: (fields: LogFields) => void): Promise<void> {
  const folder = inHome('logs');
  const files = logFiles(folder);
  if (files.size === 0 && !follow) throw new Error(`there are no logs in ${folder}: npm start writes them`);
  const story = new LogStory(id);
  const found = await readStory(story, files);
  found.forEach(printLine);
  if (found.length === 0 && !follow) throw new Error(`none of the ${files.size} log files has a line about ${id}`);
  const tail = new LogTail(folder, files);
  for (; follow; await delay(POLL_MS)) {
    for (const line of tail.read()) {
      const fields = story.take(line);
      if (fields !== null) printLine(fields);
    }
  }
}

/**
 * Formats a line for people: time, app, level (unless it is info) and message, then the other fields. Leaves out null
 * and the fields in `LEFT_OUT`.
 */
function readable({ time, app, msg, level, ...fields }: LogFields): string {
  const rest = Object.entries(fields)
    .filter(([name, value]) => !LEFT_OUT.includes(name) && value !== null)
    .map(
      ([name, value]) => `${name}=${typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value)}`,
    );
  const loud = level === 'info' || level === undefined ? [] : [String(level).toUpperCase()];
  return printable([time, String(app).padEnd(19), ...loud, msg, ...rest].join('  '));
}

/**
 * Formats a line as JSON. JSON.stringify escapes only the control characters below U+0020, so `printable` escapes all
 * other control characters.
 */
const jsonOf = (fields: LogFields): string => printable(JSON.stringify(fields));
