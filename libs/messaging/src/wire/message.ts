/** A message as it goes to a bus. */
export interface OutgoingMessage {
  readonly topic: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
}

/** A message as it comes from a bus: nothing about it is known to be right. */
export interface IncomingMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer | null;
  /** What `key` and `headers` cannot say, as it came. Absent where they say all. */
  readonly raw?: RawParts;
}

/** Bytes of a message that are no text. */
export interface RawParts {
  readonly key?: Buffer;
  /** All values of a header that is repeated (its text is the first one's), is no UTF-8, or has no value. */
  readonly headers?: Readonly<Record<string, readonly (Buffer | null)[]>>;
}
