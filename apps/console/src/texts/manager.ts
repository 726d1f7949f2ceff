/** Returns the name of an action on the selected sales; only the action if none is selected. */
const countedSales = (action: string, count: number): string => {
  if (count === 0) return action;
  return count === 1 ? `${action} 1 sale` : `${action} ${count} sales`;
};

export const managerTexts = {
  overview: {
    title: 'Overview',
    onlyLive: 'The figures are those of the live environment. The page of a partner also shows its test figures.',
    whenEmpty: 'Sales appear here as soon as a customer buys through a partner.',
    attention: 'Needs attention',
    nothing: 'Nothing needs attention.',
    held: (count: string) =>
      `${count} held ${count === '1' ? 'sale waits' : 'sales wait'} for a decision (live and test together)`,
    applications: (count: string) =>
      `${count} ${count === '1' ? 'application waits' : 'applications wait'} for a decision`,
    othersDisabled: (count: string) => `${count} more live ${count === '1' ? 'endpoint is' : 'endpoints are'} disabled`,
    deadLetters: (count: string) =>
      `${count} ${count === '1' ? 'event' : 'events'} could not be handled: tell an engineer`,
    unknown: 'The state of endpoints and postbacks is not available right now.',
    disabled: (name: string) => `The live endpoint of ${name} is disabled, so its postbacks are held`,
    paused: (name: string) => `The live endpoint of ${name} keeps failing, so its postbacks are paused`,
    /** @param waiting the number of other postbacks that are still to be sent; 0 if the API did not count all of them */
    failingNow: (name: string, failing: string, waiting: number) => {
      const failures = `${failing} ${failing === '1' ? 'postback is' : 'postbacks are'} failing and will be retried`;
      const others = waiting === 0 ? '' : `, and ${waiting} more ${waiting === 1 ? 'is' : 'are'} waiting`;
      return `The live endpoint of ${name} does not accept postbacks: ${failures}${others}`;
    },
    othersFailing: (count: string) =>
      `${count} more live ${count === '1' ? 'endpoint does' : 'endpoints do'} not accept postbacks`,
    showEndpoint: 'Show the endpoint',
    othersPaused: (count: string) => `${count} more live ${count === '1' ? 'endpoint is' : 'endpoints are'} paused`,
    /** @param endpoint the current state of the live endpoint; undefined if the API does not report it */
    heldPostbacks: (name: string, count: string, endpoint?: 'missing' | 'disabled' | 'active') => {
      const held = `${name}: ${count} ${count === '1' ? 'postback is' : 'postbacks are'} held`;
      if (endpoint === 'missing') return `${held}, because the partner has no live endpoint`;
      if (endpoint === 'disabled') return `${held}, because its live endpoint is disabled`;
      if (endpoint === 'active')
        return `${held}, and its live endpoint is active again: send ${count === '1' ? 'it' : 'them'} now`;
      return `${held}, because the partner had no live endpoint, or its endpoint was disabled. Check its endpoint`;
    },
    showHeld: 'Show the held postbacks',
    failing: (name: string, count: string) =>
      `${name}: ${count} ${count === '1' ? 'postback' : 'postbacks'} failed and will not be retried unless you send ${count === '1' ? 'it' : 'them'} again`,
  },
  sales: {
    title: 'Sales',
    sale: 'Sale',
    partner: 'Partner',
    reference: 'Reference',
    buyer: 'Buyer',
    amount: 'Amount',
    status: 'Status',
    soldAt: 'Sold',
    refused: 'Refused',
    emptyTitle: 'No sales',
    empty: 'Sales appear here as soon as a customer buys through a partner.',
    emptyOfPartner: 'Sales appear here as soon as a customer buys through this partner.',
    noMatchTitle: 'No sales match the filters',
    exact: 'A sale id or a reference must match completely, including upper and lower case.',
    withoutPartner: (status: string) =>
      `Purchases that belong to no partner are listed only by the status “${status}”, without other filters.`,
    saleId: 'Sale id',
    search: 'Full sale id or reference, or a partner',
    from: 'From',
    to: 'To',
    totals: 'Totals',
    noTotals:
      'Totals need an environment, a “From” day, a range of at most a year, and no search text: use the filter “Partner” for one partner. They cover only sales that have qualified.',
    count: (count: number) => `${count} ${count === 1 ? 'sale' : 'sales'}`,
    countOfAll: (count: number) =>
      `${count} ${count === 1 ? 'sale that has' : 'sales that have'} qualified, including those revoked, refunded or charged back later`,
  },
  held: {
    title: 'Held sales',
    lead: 'A fraud rule has held these sales. Their postbacks are sent only after a manager releases the sales.',
    emptyTitle: 'No held sales',
    empty: 'Sales that look suspicious appear here, with the reason why the rule held them.',
    why: 'Why',
    reasons: {
      disposable_email: 'Disposable e-mail address',
      too_many_sales: 'Many sales to one buyer',
      buyer_is_partner: 'The buyer used the partner’s contact e-mail',
    } as Record<string, string>,
    evidenceDomain: (domain: string) => `Domain: ${domain}`,
    evidenceSales: (count: number, limit: number) =>
      `The buyer made ${count >= limit ? 'at least ' : ''}${count} other ${count === 1 ? 'sale' : 'sales'} within an hour of this one. At most ${limit} an hour ${limit === 1 ? 'is' : 'are'} allowed, including this one.`,
    select: 'Select',
    selectAll: 'Select all on this page',
    release: (count: number) => countedSales('Release', count),
    refuse: (count: number) => countedSales('Refuse', count),
    one: (oid: string, reference: string | null) => (reference ? `Sale ${oid}, reference ${reference}` : `Sale ${oid}`),
    several: (live: number, test: number) => `${live} live, ${test} test`,
    releaseConsequence: (count: number) =>
      `${count === 1 ? 'The' : 'Each'} sale qualifies and counts for the partner, and its postback is sent. This cannot be undone.`,
    refuseConsequence: (count: number) =>
      `${count === 1 ? 'The' : 'Each'} sale fails permanently, and the partner gets nothing for it. This cannot be undone.`,
    note: 'Note',
    noteHint: 'Stored with the decision, for example a case number.',
    /** Why a sale could not be decided, by the code of the API's error. */
    problems: {
      partner_inactive: 'The partner is not active. Activate it, then release its sales',
    } as Readonly<Record<string, string>>,
    /** @param problems for each sale that could not be decided, the reason */
    decided: (decision: 'released' | 'refused', done: number, problems: readonly string[]) => {
      const reasons = [...new Set(problems)].map((reason) => ` ${reason}.`).join('');
      if (done === 0) return `No sale was ${decision}.${reasons}`;
      const decided = `${done} ${done === 1 ? 'sale was' : 'sales were'} ${decision}.`;
      return problems.length === 0 ? decided : `${decided} ${problems.length} could not be ${decision}.${reasons}`;
    },
  },
  story: {
    title: (oid: string) => `Sale ${oid}`,
    sale: 'The sale',
    status: 'Status',
    amount: 'Amount',
    buyer: 'Buyer',
    partner: 'Partner',
    environment: 'Environment',
    reference: 'Reference',
    attributedBy: 'Attributed by',
    /** What attributed a sale to its partner, and why a purchase has no partner. */
    attributions: {
      checkout: 'A checkout URL',
      code: 'The promotion code',
      no_reference: 'Nothing: no checkout URL and no promotion code',
      token_forged: 'Nothing: the checkout URL was cut or changed',
      token_expired: 'Nothing: the checkout URL had expired',
      token_of_another_discount: 'Nothing: the discount in the checkout URL belongs to another partner',
      unknown_code: 'Nothing: the promotion code belongs to no partner',
      code_ended: 'Nothing: the promotion code had been switched off',
    } as Readonly<Record<string, string>>,
    payments: {
      captured: 'Payment completed',
      pending: 'Payment pending',
      failed: 'Payment failed',
    } as Readonly<Record<string, string>>,
    items: 'Items',
    timeline: 'What happened',
    sold: 'Sold',
    heldBy: 'Held',
    qualified: 'Qualified',
    failed: 'Failed',
    because: (why: string) => `Reason: ${why}`,
    postbackCreated: 'Postback created',
    attempt: (number: number) => `Attempt ${number}`,
    next: 'Next attempt',
    noticeCreated: 'Notice to the partner created',
    noticeAttempt: (number: number) => `Attempt ${number} of the notice`,
    noticeNext: 'Next attempt of the notice',
    revoked: 'Revoked by the partner',
    closed: (by: string) => (by === 'charged_back' ? 'Charged back' : 'Refunded'),
    answer: 'The partner’s answer',
    noAnswer: 'No answer',
    accepted: 'Accepted',
    notAccepted: 'Not accepted',
    sentAgain: 'Sent again by a manager',
    decided: { released: 'Released by a manager', refused: 'Refused by a manager' } as Record<string, string>,
    releaseOne: 'Release',
    refuseOne: 'Refuse',
    enable: 'Enable the endpoint',
    enableConsequence:
      'New postbacks are sent to the endpoint again. Held postbacks are not sent automatically. Send them under “Deliveries”.',
    enabled: 'The endpoint is enabled.',
    engineer: 'An event of this sale could not be handled. Ask an engineer to check it.',
    noEndpoint: 'Send the partner a portal link, so that it can set up its endpoint',
    askEngineer: 'Ask an engineer to check it.',
    unknownSale: 'Check the id. If it is right, ask an engineer whether billing has sent the purchase.',
    nothingToDo: 'There is nothing to do.',
    endpoint: 'Endpoint now',
  },
} as const;
