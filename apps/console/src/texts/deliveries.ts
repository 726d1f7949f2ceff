import { texts } from './common';

export const deliveryTexts = {
  title: 'Deliveries',
  sale: 'Sale',
  /** What a delivery is about, if it is not the sale itself. */
  kinds: { closure: 'Refund or chargeback' },
  reference: 'Reference',
  /** The name of the reference for the partner itself. */
  ownReference: 'Your reference',
  status: 'Status',
  created: 'Created',
  delivered: 'Delivered',
  nextAttempt: 'Next attempt',
  attempts: 'Attempts',
  webhookId: 'The header webhook-id of each attempt:',
  answer: 'Last answer',
  noAnswer: 'No answer',
  stopped: 'Stopped',
  /** Why a postback was stopped, by the API's words. */
  stopReasons: {
    'sale refunded': 'The sale was refunded',
    'sale charged back': 'The sale was charged back',
  } as Readonly<Record<string, string>>,
  details: 'Details',
  replay: 'Send again',
  /** Names a delivery. */
  named: (kind: 'sale' | 'closure', oid: string) =>
    kind === 'sale' ? `Sale ${oid}` : `Refund or chargeback of sale ${oid}`,
  replayConsequence:
    'The request is sent again. An endpoint that follows the partner guide recognizes the repeat and does not count the sale twice.',
  replayed: 'The request is being sent again.',
  replayRange: 'Send deliveries of a period again',
  replayRangeConsequence:
    'Deliveries created in this period with the chosen status are sent again, with the usual retries. An endpoint that follows the partner guide recognizes a repeat and does not count the sale twice.',
  replayRangeLeftOut: `Left out are deliveries that are “${texts.deliveryStatus.failing}” or “${texts.deliveryStatus.pending}”, because they are sent automatically, and the postbacks of sales that were refunded or charged back.`,
  environment: (name: string) => `Environment: ${name}`,
  from: 'From',
  to: 'To (inclusive)',
  onlyStatus: 'Only deliveries with the status',
  failedOrHeld: 'Failed or held',
  rangeRequired: 'Choose a day.',
  replayedCount: (count: number) =>
    count === 1 ? 'One delivery is being sent again.' : `${count} deliveries are being sent again.`,
  replayedNone: `Nothing was sent again: no delivery of this period has the chosen status. Deliveries that are “${texts.deliveryStatus.failing}” or “${texts.deliveryStatus.pending}” are sent automatically. To send one of them now, choose “Send again” in its row.`,
  progress: (done: number, all: number) => `${done} of ${all} sent`,
  emptyTitle: 'No deliveries',
  empty: 'A postback is sent after each qualifying sale.',
  emptyTitles: {
    pending: 'No waiting postbacks',
    failing: 'No failing postbacks',
    delivered: 'No delivered postbacks',
    failed: 'No failed postbacks',
    held: 'No held postbacks',
  } as Record<string, string>,
  retriedElsewhere: `Postbacks that will still be retried are listed under “${texts.deliveryStatus.failing}”.`,
  noMatchTitle: 'No deliveries match the filters',
  attempt: 'Attempt',
  at: 'At',
  latency: 'Duration',
  milliseconds: (ms: number) => `${ms} ms`,
  response: 'Answer',
  pausedUntil: 'The endpoint is paused until',
} as const;
