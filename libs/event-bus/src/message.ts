/** A message to publish. */
export interface OutgoingMessage {
  readonly topic: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
}

/** A message received from a bus, not validated yet. */
export interface IncomingMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer | null;
  /** The bytes of the key and headers that text cannot represent. Absent when there are none. */
  readonly raw?: RawParts;
}

/** Bytes of a message that text cannot represent. */
export interface RawParts {
  readonly key?: Buffer;
  /**
   * All values of each header that is repeated, is not UTF-8, or has no value. In the text headers, a repeated header
   * has only its first value, and a header whose first value is null is absent.
   */
  readonly headers?: Readonly<Record<string, readonly (Buffer | null)[]>>;
}
