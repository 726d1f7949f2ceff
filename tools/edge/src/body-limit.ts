import { type Readable, Transform, type TransformCallback } from 'node:stream';

/** The body is longer than the limit of its path. */
export class BodyTooLargeError extends Error {}

/** Passes a body on as it is, up to a number of bytes: then it fails with BodyTooLargeError, and passes nothing more on. */
class LimitedBody extends Transform {
  private bytes = 0;

  constructor(private readonly limitBytes: number) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    if (this.bytes > this.limitBytes) done(new BodyTooLargeError());
    else done(null, chunk);
  }
}

/** A body whose length is not known before it ends, limited. What is beyond the limit is read and dropped. */
export function limitBody(body: Readable, limitBytes: number): Readable {
  const limited = new LimitedBody(limitBytes);
  body.once('error', (error) => limited.destroy(error));
  body.once('close', () => {
    if (!body.readableEnded) limited.destroy(new Error('the client closed the connection'));
  });
  limited.once('error', () => body.resume());
  return body.pipe(limited);
}
