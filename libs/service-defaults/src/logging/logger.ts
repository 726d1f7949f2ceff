import type { LoggerService } from '@nestjs/common';
import { currentEvent } from '@tandem/messaging';
import { currentTraceId } from '@tandem/tracing';
import pino, { type DestinationStream, type Level, type Logger } from 'pino';
import { currentLogFields } from '@tandem/http-api';

/** Keys whose values are never logged, at the top level and on the two levels below it. */
const SECRET_KEYS = new Set([
  'authorization',
  'cookie',
  'key',
  'secret',
  'signingSecret',
  'token',
  'password',
  'ssn',
  'dob',
  'email',
  'emailAddress',
  'phoneNumber',
  'address',
  'firstName',
  'lastName',
  'parameters',
  'rawBody',
]);

/**
 * Standard output, shared by all loggers of the process. The lines of one turn of the event loop are written together at its end,
 * or when the process exits, to save a system call for each line. If the process is killed, only the lines of one turn are lost.
 *
 * pino's own buffer is not used, because pino writes this buffer when the process exits: if the reader of the pipe has exited, pino
 * repeats the write forever, and the process never ends.
 */
class StandardOutput implements DestinationStream {
  private static opened?: StandardOutput;
  private readonly output = pino.destination({ dest: 1, sync: true });
  private lines = '';

  static open(): StandardOutput {
    return (this.opened ??= new StandardOutput());
  }

  private constructor() {
    process.once('exit', () => this.flush());
  }

  write(line: string): void {
    if (this.lines === '') setImmediate(() => this.flush());
    this.lines += line;
  }

  private flush(): void {
    if (this.lines === '') return;
    const { lines } = this;
    this.lines = '';
    this.output.write(lines);
  }
}

const NESTED_LEVELS = 2;

/**
 * Returns a logger that writes JSON lines, by default to standard output. The lines have the fields and trace of the request or event.
 * The values of SECRET_KEYS are redacted.
 */
export const createLogger = (
  app: string,
  level: string,
  destination: DestinationStream = StandardOutput.open(),
): Logger =>
  pino(
    {
      level,
      base: { app, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => withoutSecrets(fields, NESTED_LEVELS) },
      // `withoutSecrets` has already serialized the error.
      serializers: { err: (error: unknown) => error },
      mixin: () => ({ ...currentLogFields(), ...eventFields(), traceId: currentTraceId() }),
    },
    destination,
  );

/** Returns the fields with secrets replaced and the error `err` serialized. Changed objects are copied, not modified. */
function withoutSecrets<T extends object>(fields: T, levels: number): T {
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    const kept = SECRET_KEYS.has(name) ? '[redacted]' : withoutNestedSecrets(name, value, levels);
    if (kept === value) continue;
    copy ??= (Array.isArray(fields) ? [...(fields as unknown[])] : { ...fields }) as Record<string, unknown>;
    copy[name] = kept;
  }
  return (copy ?? fields) as T;
}

function withoutNestedSecrets(name: string, value: unknown, levels: number): unknown {
  if (levels === 0 || typeof value !== 'object' || value === null) return value;
  // An error is written as pino writes it: its own fields, with its message and stack.
  const written = name === 'err' && value instanceof Error ? pino.stdSerializers.err(value) : value;
  return withoutSecrets(written, levels - 1);
}

/** The event's key is an entity's id, not a secret; it is logged under another name because `key` is redacted. */
function eventFields(): object {
  const event = currentEvent();
  return event ? { eventId: event.id, topic: event.topic, eventKey: event.key } : {};
}

/** Implements Nest's logger interface with pino. A message is a text, an error, or an object with `msg` and fields. */
export class PinoLogger implements LoggerService {
  constructor(private readonly pino: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest passes the context (a class's name) as the last argument and, for errors, the stack before it. */
  private write(level: Level, message: unknown, rest: unknown[]): void {
    if (!this.pino.isLevelEnabled(level)) return;
    const context = rest.length > 0 && typeof rest[rest.length - 1] === 'string' ? rest.pop() : undefined;
    const stack = level === 'error' && typeof rest[0] === 'string' ? { stack: rest[0] } : {};
    if (message instanceof Error) this.pino[level]({ context, err: message });
    else if (typeof message === 'object' && message !== null) this.pino[level]({ context, ...stack, ...message });
    else this.pino[level]({ context, ...stack }, String(message));
  }
}
