import { texts } from './common';

export const deliveryTexts = {
  title: 'Deliveries',
  sale: 'Sale',
  /** What a delivery is about, if it is not the sale itself. */
  kinds: { closure: 'Refund or chargeback' },
  reference: 'Reference',
  /** The name of the partner's reference in texts for the partner itself. */
  ownReference: 'Your reference',
  status: 'Status',
  created: 'Created',
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
  /** Why no more attempts are made, by the API's words. Contains only the reasons that are not in `stopReasons`. */
  endReasons: {
    'attempts exhausted': 'All attempts failed',
    'endpoint gone': 'The server reported that the address no longer exists (410)',
  } as Readonly<Record<string, string>>,
  accepted: (status: number) => `Accepted (${status})`,
  /** How an attempt ended, by the API's text or by its first word. */
  outcomes: {
    dns: 'No server has this name',
    ssrf_refused: 'This address cannot be reached from the internet',
    connect: 'The server could not be reached',
    'connect (ECONNREFUSED)': 'Nothing accepts connections at this address',
    tls: 'There was no secure connection: the certificate or the encryption was refused',
    'timeout (connecting)': 'No connection within 15 seconds',
    'timeout (reading)': 'The answer was not complete within 15 seconds',
    timeout: 'No answer within 15 seconds',
    reset: 'The server closed the connection without an answer',
    protocol: 'The answer was not valid HTTP',
    body: 'The answer did not arrive completely',
  } as Readonly<Record<string, string>>,
  /** What the status of an answer means, by the status or by its first digit. */
  refusals: {
    '401': 'The server did not accept the key or the signature',
    '403': 'The server refused access',
    '404': 'The server does not know this address',
    '410': 'The server reported that the address no longer exists',
    '429': 'The server got too many requests',
    '3': 'The server redirected to another address',
    '4': 'The server refused the request',
    '5': 'The server reported an error',
  } as Readonly<Record<string, string>>,
  refused: (words: string, status: number) => `${words} (${status})`,
  forDevelopers: 'Show this to the developer of the endpoint.',
  notSentYet: {
    pending: 'Not sent yet. The first attempt is made automatically.',
    held: 'Not sent yet, because the endpoint was missing or disabled.',
  } as Readonly<Record<string, string>>,
  notSentBecause: (reason: string) => `Not sent. ${reason}.`,
  details: 'Details',
  replay: 'Send again',
  /** The name of the action for a delivery without attempts. */
  send: 'Send',
  /** Names a delivery. */
  named: (kind: 'sale' | 'closure', oid: string) =>
    kind === 'sale' ? `Sale ${oid}` : `Refund or chargeback of sale ${oid}`,
  replayConsequence:
    'The request is sent again. An endpoint that follows the partner guide recognizes the repeat and does not count the sale twice.',
  sendConsequence: 'The request is sent now, with the usual retries.',
  replayed: 'The request is being sent again.',
  sent: 'The request is being sent.',
  /** Why a delivery was not sent again, by the code of the API's error. */
  replayRefusals: {
    sale_closed: 'Nothing was sent: the sale was refunded or charged back, and then its postback is not sent again.',
    postback_disabled: 'Nothing was sent: the endpoint is disabled. It must be enabled first.',
    postback_not_configured: 'Nothing was sent: no endpoint is set up.',
  } as Readonly<Record<string, string>>,
  withReference: (title: string, refId: string) => `${title}: ${refId}`,
  referenceHint: 'The whole reference; upper and lower case matter.',
  replayRange: 'Send deliveries of a period again',
  replayRangeConsequence:
    'Deliveries created in this period with the chosen status are sent again, with the usual retries. An endpoint that follows the partner guide recognizes a repeat and does not count the sale twice.',
  replayRangeLeftOut: `Left out are deliveries that are “${texts.deliveryStatus.failing}” or “${texts.deliveryStatus.pending}”, because they are sent automatically, and the postbacks of sales that were refunded or charged back.`,
  environment: (name: string) => `Environment: ${name}`,
  from: 'From',
  to: 'To (inclusive)',
  withStatus: 'Deliveries with the status',
  failedOrHeld: 'Failed or held',
  all: 'All (failed, held or delivered)',
  rangeRequired: 'Choose a day.',
  counting: 'Counting the deliveries…',
  /** How many deliveries the dialog will send. */
  replayCount: (count: number) => {
    if (count === 0) return 'There is nothing to send for this period and status.';
    return count === 1 ? '1 delivery will be sent.' : `${count} deliveries will be sent.`;
  },
  replayUncertain: 'Some of the deliveries may have been sent. Check the list before you send the others.',
  replayedCount: (count: number) =>
    count === 1 ? 'One delivery is being sent again.' : `${count} deliveries are being sent again.`,
  replayedNone: `Nothing was sent again: no delivery of this period has the chosen status. Deliveries that are “${texts.deliveryStatus.failing}” or “${texts.deliveryStatus.pending}” are sent automatically. To send one of them now, use the button in its row.`,
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
} as const;
