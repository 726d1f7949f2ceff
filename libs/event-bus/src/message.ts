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
  /** The key and headers as bytes, where text cannot represent them. Absent if text represents all of them. */
  readonly raw?: RawParts;
}

/** The key and headers of a message that text cannot represent, as bytes. */
export interface RawParts {
  readonly key?: Buffer;
  /**
   * All values of each header that is repeated, is not UTF-8, or has no value. In the text headers, a repeated header
   * has only its first value, and a header whose first value is null is absent.
   */
  readonly headers?: Readonly<Record<string, readonly (Buffer | null)[]>>;
}
