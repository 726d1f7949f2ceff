export { LISTEN_OPTIONS, type ListenContext, type ListenValues, runListen } from './command.ts';
export type { ForwardedAttempt } from './forward.ts';
export type { ListenerEvent } from './listener.ts';
export { printable, printableLines } from './printable.ts';
