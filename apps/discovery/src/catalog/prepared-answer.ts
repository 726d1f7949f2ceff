import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type Coding, CODINGS, codingFor } from './content-coding.rules';

/** Below it compression saves less than a packet. */
const COMPRESS_FROM_BYTES = 1_024;
/** Compressed once, on the first request that wants it: the best ratio takes fifty times as long. */
const BROTLI_QUALITY = 6;

const ENTITY_TAG = /(?:W\/)?("[^"]*")/g;

/** A body in one coding, with its headers. */
export interface Representation {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer that is serialised once and sent many times. */
export class PreparedAnswer {
  private readonly body: Buffer;
  private readonly hash: string;
  private readonly representations = new Map<Coding, Representation>();

  /** @param maxAgeSeconds how long a client may use it without asking again */
  constructor(
    value: object,
    private readonly maxAgeSeconds: number,
  ) {
    this.body = Buffer.from(JSON.stringify(value));
    // Of the content alone, so that all replicas have the same.
    this.hash = createHash('sha256').update(this.body).digest('base64url').slice(0, 22);
  }

  /** @param acceptEncoding the request's header */
  representationFor(acceptEncoding: string | string[] | undefined): Representation {
    const coding = this.body.length < COMPRESS_FROM_BYTES ? 'identity' : codingFor(acceptEncoding);
    let known = this.representations.get(coding);
    if (!known) this.representations.set(coding, (known = this.encode(coding)));
    return known;
  }

  /**
   * The headers of a 304; null when the client has to get the body.
   *
   * @param ifNoneMatch the request's header. A client may have the content in another coding than the one it asks for now: that is as
   *   good.
   */
  unchangedFor(ifNoneMatch: string | undefined): Readonly<Record<string, string>> | null {
    if (ifNoneMatch === undefined) return null;
    if (ifNoneMatch.trim() === '*') return this.validatorsOf(this.tagOf('identity'));
    const known = CODINGS.map((coding) => this.tagOf(coding));
    const tag = ifNoneMatch
      .match(ENTITY_TAG)
      ?.map(opaqueOf)
      .find((one) => known.includes(one));
    return tag === undefined ? null : this.validatorsOf(tag);
  }

  private encode(coding: Coding): Representation {
    return {
      body: compress(this.body, coding),
      headers: {
        'content-type': 'application/json; charset=utf-8',
        ...(coding !== 'identity' && { 'content-encoding': coding }),
        ...this.validatorsOf(this.tagOf(coding)),
      },
    };
  }

  /** A strong tag stands for bytes, so each coding has its own (RFC 9110, section 8.8.3). */
  private tagOf(coding: Coding): string {
    return coding === 'identity' ? `"${this.hash}"` : `"${this.hash}-${coding}"`;
  }

  private validatorsOf(etag: string): Readonly<Record<string, string>> {
    return {
      etag,
      'cache-control': `private, max-age=${this.maxAgeSeconds}`,
      vary: 'Authorization, Accept-Encoding',
    };
  }
}

const opaqueOf = (tag: string): string => tag.replace(/^W\//, '');

function compress(body: Buffer, coding: Coding): Buffer {
  if (coding === 'gzip') return gzipSync(body, { level: 9 });
  if (coding === 'br')
    return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
  return body;
}
