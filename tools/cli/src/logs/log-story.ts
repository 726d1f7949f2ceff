import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** Fields that join the lines of one story: a value found in one line selects every other line that has it. */
const LINKS = ['oid', 'requestId', 'eventId', 'deliveryId'];
/**
 * Fields that are searched for known ids. The values of three of them do not become known ids:
 * - `eventKey`, because the key of an event is not always an oid
 * - `krn`, because a KRN in the story of a sale would add all other lines of the user
 * - `traceId`, because a caller may send many webhooks in one trace, so a trace would add other sales
 */
const MATCHED = [...LINKS, 'eventKey', 'krn', 'traceId'];
/** How many times the log files are read at most. For the story of a sale, a few times are enough. */
const ROUNDS_MAX = 10;

/** The fields of a log line. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Selects the lines of one story by its known ids. Each selected line can add ids. */
export class LogStory {
  private readonly ids: Set<string>;

  /** @param id an oid, the id of a request, an event or a trace, or a user's KRN */
  constructor(id: string) {
    this.ids = new Set([id]);
  }

  /** The number of known ids. */
  get size(): number {
    return this.ids.size;
  }

  /**
   * Reads a line. When it belongs to the story, its ids are added to the known ids.
   * @returns its fields; null for a line of another story, or one that is not JSON
   */
  take(line: string): LogFields | null {
    // Most lines belong to other stories and are not even parsed.
    if (![...this.ids].some((id) => line.includes(id))) return null;
    const fields = parse(line);
    if (fields === null || !MATCHED.some((name) => this.ids.has(fields[name] as string))) return null;
    for (const name of LINKS) {
      const id = fields[name];
      if (typeof id === 'string') this.ids.add(id);
    }
    return fields;
  }
}

function parse(line: string): LogFields | null {
  try {
    const fields: unknown = JSON.parse(line);
    return typeof fields === 'object' ? (fields as LogFields | null) : null;
  } catch {
    return null;
  }
}

/** Returns the log files of a folder with their sizes, including those of the previous start. */
export function logFiles(folder: string): Map<string, number> {
  if (!fs.existsSync(folder)) return new Map();
  const files = fs.readdirSync(folder).filter((name) => /\.log(?:\.1)?$/.test(name));
  return new Map(files.map((name) => path.join(folder, name)).map((file) => [file, fs.statSync(file).size]));
}

/**
 * Returns every line of a story in the files, in the order of time. The files are read again until no line adds an id, at most
 * ROUNDS_MAX times.
 *
 * @param files how many bytes to read of each file
 * @returns the fields of each line
 */
export async function readStory(story: LogStory, files: ReadonlyMap<string, number>): Promise<LogFields[]> {
  for (let round = 1; ; round++) {
    const before = story.size;
    const found: LogFields[] = [];
    for await (const line of linesOf(files)) {
      const fields = story.take(line);
      if (fields !== null) found.push(fields);
    }
    if (story.size === before || round === ROUNDS_MAX) return found.sort(byTime);
  }
}

/** Returns whether a line in the files belongs to the story of this id. */
export async function hasStory(id: string, files: ReadonlyMap<string, number>): Promise<boolean> {
  const story = new LogStory(id);
  for await (const line of linesOf(files)) if (story.take(line) !== null) return true;
  return false;
}

async function* linesOf(files: ReadonlyMap<string, number>): AsyncGenerator<string> {
  for (const [file, size] of files)
    if (size > 0) yield* createInterface({ input: fs.createReadStream(file, { end: size - 1 }) });
}

const byTime = (one: LogFields, other: LogFields): number => (String(one['time']) < String(other['time']) ? -1 : 1);

/** Reads the lines that are added to the files of a folder from now on. A file that was truncated is read from its start. */
export class LogTail {
  private readonly offsets: Map<string, number>;

  /** @param files how many bytes of each file were already read */
  constructor(
    private readonly folder: string,
    files: ReadonlyMap<string, number>,
  ) {
    this.offsets = new Map(files);
  }

  /** Returns the complete lines that were added since the last call. */
  read(): string[] {
    const current = [...logFiles(this.folder)].filter(([file]) => file.endsWith('.log'));
    return current.flatMap(([file, size]) => this.added(file, size));
  }

  private added(file: string, size: number): string[] {
    const known = this.offsets.get(file) ?? 0;
    const from = size < known ? 0 : known;
    this.offsets.set(file, from);
    if (size === from) return [];
    const bytes = Buffer.alloc(size - from);
    const descriptor = fs.openSync(file, 'r');
    try {
      fs.readSync(descriptor, bytes, 0, bytes.length, from);
    } finally {
      fs.closeSync(descriptor);
    }
    // The text after the last newline is not a complete line yet.
    const end = bytes.lastIndexOf('\n') + 1;
    this.offsets.set(file, from + end);
    return bytes.toString('utf8', 0, end).split('\n').filter(Boolean);
  }
}
