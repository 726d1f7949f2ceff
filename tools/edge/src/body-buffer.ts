import type { FastifyInstance } from 'fastify';
import { Readable } from 'node:stream';
import { BODY_METHODS } from './protocol';

/** The body exceeds the limit of its path. */
export class BodyTooLargeError extends Error {}

/** The buffer has no room for the body, because other bodies have filled it. */
export class BufferFullError extends Error {}

/** The client closed its connection before the body was complete, so there is nobody to answer. */
class BodyAbortedError extends Error {
  readonly statusCode = 400;
}

/** Counts the bytes of all buffered bodies against one limit for the process. */
export class BodyBuffer {
  private held = 0;

  constructor(private readonly capacityBytes: number) {}

  /** Reserves bytes. @returns whether there was room for them */
  take(bytes: number): boolean {
    if (this.held + bytes > this.capacityBytes) return false;
    this.held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.held -= bytes;
  }
}

/**
 * Makes the routes of a scope read each forwarded body completely before they call the app, because a slow body must
 * not occupy a connection to the app. The app receives the same bytes.
 *
 * The error handler of the scope receives a BodyTooLargeError if a body exceeds `limitBytes`, and a BufferFullError if
 * the buffer has no room. In both cases, the remaining bytes of the body are read and dropped.
 */
export function bufferBodies(scope: FastifyInstance, buffer: BodyBuffer, limitBytes: number): void {
  scope.addHook('preParsing', (request, reply, payload, done) => {
    if (!BODY_METHODS.has(request.method)) return done(null, payload);
    const body = payload as Readable;
    const chunks: Buffer[] = [];
    let bytes = 0;
    reply.raw.once('close', () => buffer.release(bytes));
    const finish = (error: Error | null): void => {
      body.off('data', add).off('end', complete).off('error', finish).off('close', abort);
      if (!error) return done(null, Readable.from(chunks, { objectMode: false }));
      body.on('error', () => undefined).resume();
      done(error);
    };
    const add = (chunk: Buffer): void => {
      if (bytes + chunk.length > limitBytes) finish(new BodyTooLargeError());
      else if (!buffer.take(chunk.length)) finish(new BufferFullError());
      else {
        chunks.push(chunk);
        bytes += chunk.length;
      }
    };
    const complete = (): void => finish(null);
    const abort = (): void => finish(new BodyAbortedError());
    body.on('data', add).once('end', complete).once('error', finish).once('close', abort);
  });
}
