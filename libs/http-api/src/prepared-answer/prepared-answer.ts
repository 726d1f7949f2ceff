import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type Coding, CODINGS, codingFor } from './content-coding.rules';

/** Below this size, compression saves less than a packet. */
const COMPRESS_FROM_BYTES = 1_024;
/**
 * The quality of the Brotli compression, which happens once, on the first request for this coding. The highest quality
 * (11) would take much longer.
 */
const BROTLI_QUALITY = 6;

const ENTITY_TAG = /(?:W\/)?("[^"]*")/g;

type Headers = Readonly<Record<string, string>>;

/** A body in one coding, with its headers. */
export interface Representation {
  readonly body: Buffer;
  readonly headers: Headers;
}

/** The headers of a prepared answer that do not depend on its coding. */
export interface AnswerHeaders {
  readonly 'content-type': string;
  readonly 'cache-control': string;
  /** Names of request headers that the answer depends on, except Accept-Encoding. */
  readonly vary?: string;
  /** For an HTML page. */
  readonly 'content-security-policy'?: string;
}

/**
 * An answer that is serialized once and sent many times, with an `ETag`, in the coding that the client prefers. A body
 * below 1 KiB is never compressed.
 */
export class PreparedAnswer {
  private readonly hash: string;
  /** The headers of a 304 answer, by entity tag. The content has one tag for each coding. */
  private readonly validators: ReadonlyMap<string, Headers>;
  private readonly representations = new Map<Coding, Representation>();

  constructor(
    private readonly body: Buffer,
    private readonly kind: AnswerHeaders,
  ) {
    // The hash covers only the content, so that all replicas have the same tag.
    this.hash = createHash('sha256').update(this.body).digest('base64url').slice(0, 22);
    this.validators = new Map(CODINGS.map((coding) => this.tagOf(coding)).map((tag) => [tag, this.validatorsOf(tag)]));
  }

  /** Returns the body in the coding that the client prefers. @param acceptEncoding the request's header */
  representationFor(acceptEncoding: string | string[] | undefined): Representation {
    const coding = this.body.length < COMPRESS_FROM_BYTES ? 'identity' : codingFor(acceptEncoding);
    let known = this.representations.get(coding);
    if (!known) this.representations.set(coding, (known = this.encode(coding)));
    return known;
  }

  /**
   * Returns the headers of a 304; null if the client needs the body.
   *
   * @param ifNoneMatch the request's header. The tag of any coding counts, even of one that the client
   *   does not accept now.
   */
  unchangedFor(ifNoneMatch: string | undefined): Headers | null {
    if (ifNoneMatch === undefined) return null;
    const exact = this.validators.get(ifNoneMatch);
    if (exact) return exact;
    if (ifNoneMatch.trim() === '*') return this.validators.get(this.tagOf('identity')) as Headers;
    const tag = ifNoneMatch
      .match(ENTITY_TAG)
      ?.map(opaqueOf)
      .find((one) => this.validators.has(one));
    return tag === undefined ? null : (this.validators.get(tag) as Headers);
  }

  private encode(coding: Coding): Representation {
    return {
      body: compress(this.body, coding),
      headers: {
        'content-type': this.kind['content-type'],
        ...(this.kind['content-security-policy'] && {
          'content-security-policy': this.kind['content-security-policy'],
        }),
        ...(coding !== 'identity' && { 'content-encoding': coding }),
        ...this.validatorsOf(this.tagOf(coding)),
      },
    };
  }

  /**
   * Returns the entity tag of a coding. A strong tag identifies exact bytes, so each coding has its own (RFC 9110,
   * section 8.8.3).
   */
  private tagOf(coding: Coding): string {
    return coding === 'identity' ? `"${this.hash}"` : `"${this.hash}-${coding}"`;
  }

  private validatorsOf(etag: string): Headers {
    return {
      etag,
      'cache-control': this.kind['cache-control'],
      vary: [this.kind.vary, 'Accept-Encoding'].filter(Boolean).join(', '),
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
