import type { LoggerService } from '@nestjs/common';
import { currentEvent } from '@tandem/messaging';
import pino, { type DestinationStream, type Level, type Logger } from 'pino';
import { currentLogFields } from './log-context';

/** Keys whose values never reach a log, at the top and two levels down. */
const SECRET_KEYS = [
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
];

/**
 * Written at once: what pino buffers instead it writes at the exit, and when nobody reads any more it tries that for ever, so
 * that the process never ends.
 */
const standardOutput = (): DestinationStream => pino.destination({ dest: 1, sync: true });

/** JSON lines on standard output, or another one, with the request's or event's fields, and without secrets. */
export const createLogger = (app: string, level: string, destination: DestinationStream = standardOutput()): Logger =>
  pino(
    {
      level,
      base: { app, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => ({ ...currentLogFields(), ...eventFields() }),
      redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[redacted]' },
    },
    destination,
  );

/** The event's key is no secret: it is an entity's id, and has a name of its own here because `key` is redacted. */
function eventFields(): object {
  const event = currentEvent();
  return event ? { eventId: event.id, topic: event.topic, eventKey: event.key } : {};
}

/** Nest's logger interface over pino. A message may be text, or an object with `msg` and fields. */
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

  /** Nest passes the context (a class's name) last, and for errors the stack before it. */
  private write(level: Level, message: unknown, rest: unknown[]): void {
    if (!this.pino.isLevelEnabled(level)) return;
    const context = rest.length > 0 && typeof rest[rest.length - 1] === 'string' ? rest.pop() : undefined;
    const stack = level === 'error' && typeof rest[0] === 'string' ? { stack: rest[0] } : {};
    if (message instanceof Error) this.pino[level]({ context, err: message });
    else if (typeof message === 'object' && message !== null) this.pino[level]({ context, ...stack, ...message });
    else this.pino[level]({ context, ...stack }, String(message));
  }
}
