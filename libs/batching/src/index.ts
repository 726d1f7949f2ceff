export { Backoff, sleep } from './backoff';
export { Batcher, BatcherFullError, type BatcherLimits } from './batcher';
export { withoutContext } from './context';
export { Gathering } from './gathering';
export { OutageLog } from './outage-log';
export { WakeSignal } from './wake-signal';
