/** A message as it goes to a bus. */
export interface OutgoingMessage {
  readonly topic: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
}

/** A message as it comes from a bus, not validated yet. */
export interface IncomingMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer | null;
  /** The bytes of key and headers that `key` and `headers` cannot hold as text. Absent when they hold all. */
  readonly raw?: RawParts;
}

/** Bytes of a message that are not text. */
export interface RawParts {
  readonly key?: Buffer;
  /** All values of a header that is repeated (its text is that of the first), is not UTF-8, or has no value. */
  readonly headers?: Readonly<Record<string, readonly (Buffer | null)[]>>;
}
