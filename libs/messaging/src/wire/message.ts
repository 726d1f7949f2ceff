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
}
