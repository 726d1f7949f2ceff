const CLOSED: Readonly<Record<string, string>> = { refunded: 'refunded', charged_back: 'charged back' };

const CLOSINGS: Readonly<Record<string, string>> = { refunded: 'refund', charged_back: 'chargeback' };

const closingOf = (by: string): string => CLOSINGS[by] ?? 'change';

interface Attempt {
  readonly status: number | null;
  readonly error: string | null;
}

/** What the endpoint does, by the last attempt: the error `status` means that the status was not 2xx. */
function answers(last: Attempt | undefined): string {
  if (last === undefined) return 'its endpoint was paused until the notice expired';
  if (last.status === null) return 'its endpoint does not answer';
  return last.error === 'status'
    ? `its endpoint answers ${last.status}`
    : 'the answer of its endpoint does not arrive completely';
}

/** How the manager can send a delivery that is no longer sent automatically, by the state of the endpoint. `action`: the name of the button. */
const STEPS = {
  missing: (action: string) => `When the partner has set up an endpoint, choose “${action}”.`,
  disabled: (action: string) => `When the endpoint works again, enable it, then choose “${action}”.`,
  active: (action: string) => `When the endpoint works again, choose “${action}”.`,
} as const;

const closedWords = (by: string): string => CLOSED[by] ?? by.replaceAll('_', ' ');

/** The headlines of the page of a sale: the state of the sale and its postback, and what the manager can do about it. */
export const saleHeadlines = {
  delivered: 'The postback was delivered.',
  deliveredThenClosed: (by: string) => `The postback was delivered. Since then, the sale was ${closedWords(by)}.`,
  revoked: (at: string, why: string | null) =>
    `The partner revoked the sale at ${at}.${why === null ? '' : ` Reason: ${why}.`}`,
  told: (by: string, at: string) => `The partner was told about the ${closingOf(by)} at ${at}.`,
  noticeDue: (by: string) => `The notice about the ${closingOf(by)} is being sent to the partner.`,
  noticeFailing: (by: string, last: Attempt) =>
    `The partner has not been told about the ${closingOf(by)} yet: ${answers(last)}. The next attempt follows automatically.`,
  noticeFailed: (by: string, last: Attempt | undefined) =>
    `The partner was not told about the ${closingOf(by)}: ${answers(last)}, and the notice is no longer sent automatically.`,
  /** Why a notice is held, by the state of the endpoint. */
  noticeHeld: {
    missing: (by: string, action: string) =>
      `The partner was not told about the ${closingOf(by)}: it has no endpoint, so the notice is held. ${STEPS.missing(action)}`,
    disabled: (by: string, action: string) =>
      `The partner was not told about the ${closingOf(by)}: its endpoint is disabled, so the notice is held. ${STEPS.disabled(action)}`,
    active: (by: string, action: string) =>
      `The partner was not told about the ${closingOf(by)}: the notice was held while its endpoint was missing or disabled. It is not sent automatically: choose “${action}”.`,
  },
  stepsToSend: STEPS,
  noticesOff: 'The partner does not receive notices of refunds and chargebacks.',
  noNotice:
    'There is no notice for the partner. Either notices were off when the sale was closed, or the notice is about to be created.',
  first: 'The postback has not been sent yet. It is sent automatically.',
  again: 'The endpoint accepted the postback, which is now being sent once more.',
  failing:
    'The last attempt failed, and the next one follows automatically. When the partner has fixed its endpoint, you can choose “Send again” instead of waiting.',
  paused: (until: string) => `The endpoint keeps failing, so its postbacks are paused until ${until}.`,
  disabled: (why: string, action: string) =>
    `The endpoint is disabled, so no postback is sent to it. Reason: ${why}. When the endpoint works again, enable it, then choose “${action}”.`,
  not_configured: 'The partner has no endpoint, so the postback cannot be sent.',
  neverSent: (by: string) =>
    `The sale was ${closedWords(by)} before its postback was delivered, so the postback will not be sent.`,
  notConfirmed: (by: string) =>
    `The sale was ${closedWords(by)} before the endpoint confirmed its postback, so the postback will not be sent again.`,
  stopping: (by: string) => `The sale was ${closedWords(by)}, so its postback is being stopped.`,
  expired:
    'The postback was not sent while the endpoint was paused, and then it expired, so it is not sent automatically. When the endpoint works again, choose “Send”.',
  given_up:
    'Every attempt to send the postback failed, so it is no longer sent automatically. When the endpoint works again, choose “Send again”.',
  held_delivery: (action: string) =>
    `The postback was held while the endpoint was missing or disabled. It is not sent automatically: choose “${action}”.`,
  held: (why: string) =>
    `The sale is held, because a fraud rule found it suspicious. Reason: ${why}. Release the sale or refuse it.`,
  refused: 'A manager refused the sale in the fraud review, so no postback is sent.',
  unattributed: (why: string | undefined) =>
    `The purchase belongs to no partner, so no postback is sent.${why ? ` Reason: ${why}.` : ''}`,
  whyUnattributed: {
    no_reference: 'it has no checkout URL and no promotion code',
    token_forged: 'the checkout URL was cut or changed on its way to the customer',
    token_expired:
      'the checkout URL had expired by the time of the purchase. The partner has to create a new checkout URL for each visit',
    token_of_another_discount: 'the discount in the checkout URL belongs to another partner',
    unknown_code: 'the promotion code belongs to no partner',
    code_ended: 'the promotion code had been switched off before the purchase',
  } as Readonly<Record<string, string>>,
  another_partner: (name: string) => `The sale belongs to another partner: ${name}.`,
  payment_pending: 'The payment is not completed yet. The postback is sent when billing reports that it is.',
  failed: (why: string) => `The sale has failed, so no postback is sent. Reason: ${why}.`,
  whyFailed: {
    payment_failed: 'the payment failed',
    nothing_paid: 'nothing was paid',
    partner_inactive: 'the partner was not active when the purchase arrived',
  } as Readonly<Record<string, string>>,
  closedWithoutPurchase: (by: string) =>
    `The sale was ${closedWords(by)}, but billing has not reported its purchase. No postback will be sent for it.`,
  closedBeforeQualified: (by: string) =>
    `The sale was ${closedWords(by)} before it could qualify, so no postback is sent.`,
  dead_letter: 'Our platform could not process a message about this sale.',
  on_its_way:
    'The sale has qualified, but there is no postback. Either the postback is about to be created, or it is older than 90 days and no longer kept.',
  dispatcher_unavailable: 'The state of the postback cannot be shown right now. Open this page again in a few minutes.',
  unknown: 'There is no sale with this id. A purchase without a reference to a partner is not stored.',
} as const;
