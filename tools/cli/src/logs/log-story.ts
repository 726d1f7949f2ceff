import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** Fields that join the lines of one story: what one line says of them is looked for in all others. */
const LINKS = ['oid', 'requestId', 'eventId', 'deliveryId'];
/**
 * Other names of the same ids: an event's key is an oid when some line says so. A user's lines are found by the KRN, and a KRN leads
 * from no other story to everything else of its user. Nor does a trace: a caller may send many webhooks in one.
 */
const MATCHED = [...LINKS, 'eventKey', 'krn', 'traceId'];
/** One sale is joined up in three rounds: webhook, payment, delivery. */
const ROUNDS_MAX = 10;

/** The fields of a line of a log. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The lines of one story, by the ids that are known of it; more become known with each line. */
export class LogStory {
  private readonly ids: Set<string>;

  /** @param id an oid, a request's, an event's or a trace's id, or a user's KRN */
  constructor(id: string) {
    this.ids = new Set([id]);
  }

  /** How many ids are known. */
  get size(): number {
    return this.ids.size;
  }

  /**
   * Reads a line; when it belongs to the story, its ids do from now on.
   * @returns its fields; null for a line of another story, and for one that is not JSON
   */
  take(line: string): LogFields | null {
    // Most lines are of others: they are not even parsed.
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

/** The log files of a folder, that of the start before too, and how large they are. */
export function logFiles(folder: string): Map<string, number> {
  if (!fs.existsSync(folder)) return new Map();
  const files = fs.readdirSync(folder).filter((name) => /\.log(?:\.1)?$/.test(name));
  return new Map(files.map((name) => path.join(folder, name)).map((file) => [file, fs.statSync(file).size]));
}

/**
 * Every line of a story that the files have, in the order of time. The files are read again until no line names another id.
 *
 * @param files how many bytes of each are read
 * @returns the fields of each line
 */
export async function readStory(story: LogStory, files: ReadonlyMap<string, number>): Promise<LogFields[]> {
  for (let round = 1; ; round++) {
    const before = story.size;
    const found: LogFields[] = [];
    for (const [file, size] of files) {
      if (size === 0) continue;
      for await (const line of createInterface({ input: fs.createReadStream(file, { end: size - 1 }) })) {
        const fields = story.take(line);
        if (fields !== null) found.push(fields);
      }
    }
    if (story.size === before || round === ROUNDS_MAX) return found.sort(byTime);
  }
}

const byTime = (one: LogFields, other: LogFields): number => (String(one['time']) < String(other['time']) ? -1 : 1);

/** Reads what is added to the files of a folder from now on; a file that starts again is read from its start. */
export class LogTail {
  private readonly offsets: Map<string, number>;

  /** @param files what was read of each before */
  constructor(
    private readonly folder: string,
    files: ReadonlyMap<string, number>,
  ) {
    this.offsets = new Map(files);
  }

  /** The whole lines that were added since the last call. */
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
    // What is behind the last newline is not whole yet.
    const end = bytes.lastIndexOf('\n') + 1;
    this.offsets.set(file, from + end);
    return bytes.toString('utf8', 0, end).split('\n').filter(Boolean);
  }
}
