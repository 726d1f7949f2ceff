/** The names of the actions whose code is unclear, or uses other words than the screens: “replay” for “Send again”, “postback” for the endpoint. */
const NAMES: Readonly<Record<string, string>> = {
  'delivery.range_replay_requested': 'Send deliveries of a period again: requested',
  'delivery.range_replayed': 'Send deliveries of a period again: done',
  'delivery.replay_requested': 'Send a delivery again: requested',
  'delivery.replayed': 'Send a delivery again: done',
  'partner.publish_requested': 'Events of all partners: publishing requested',
  'partner.published': 'Events of all partners published',
  'postback.enable_requested': 'Endpoint: enabling requested',
  'postback.enabled': 'Endpoint enabled',
  'postback.save_requested': 'Endpoint: save requested',
  'postback.saved': 'Endpoint saved',
  'postback.secret_rotated': 'Endpoint: new signing secret created',
  'postback.secret_rotation_requested': 'Endpoint: new signing secret requested',
  'postback.test_requested': 'Endpoint: test requested',
  'voucher_group.requested': 'Voucher group: creation requested',
};

/** The names of fields of audit entries whose code uses other words than the screens. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  url: 'URL',
  authMethod: 'Authentication',
  hasKey: 'Key is set',
  isKeyGiven: 'A new key was given',
  notifyClosures: 'Notices of refunds and chargebacks',
};

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
    othersPaused: (count: string) => `${count} more live ${count === '1' ? 'endpoint is' : 'endpoints are'} paused`,
    heldPostbacks: (name: string, count: string) =>
      `${name}: ${count} ${count === '1' ? 'postback is' : 'postbacks are'} held, because the partner had no live endpoint, or its endpoint was disabled. Check its endpoint`,
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
      buyer_is_partner: 'The partner’s own address',
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
    releaseConsequence:
      'Each sale qualifies and counts for the partner, and its postback is sent. This cannot be undone.',
    refuseConsequence: 'Each sale fails permanently, and the partner gets nothing for it. This cannot be undone.',
    note: 'Note',
    noteHint: 'Stored with the decision, for example a case number.',
    /** Why a sale could not be decided, by the code of the API's error. */
    problems: {
      partner_inactive: 'The partner is not active. Activate it, then release its sales',
    } as Readonly<Record<string, string>>,
    /** @param problems why each sale that was not decided could not be */
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
    postbackCreated: 'Postback created',
    attempt: (number: number) => `Attempt ${number}`,
    next: 'Next attempt',
    revoked: 'Revoked by the partner',
    closed: (by: string) => (by === 'charged_back' ? 'Charged back' : 'Refunded'),
    answer: 'The partner’s answer',
    noAnswer: 'No answer',
    decided: { released: 'Released by a manager', refused: 'Refused by a manager' } as Record<string, string>,
    releaseOne: 'Release',
    refuseOne: 'Refuse',
    enable: 'Enable the endpoint',
    enableConsequence:
      'New postbacks are sent to the endpoint again. Held postbacks are not sent automatically. Send them with “Send again” under “Deliveries”.',
    enabled: 'The endpoint is enabled.',
    engineer: 'An event of this sale could not be handled. Ask an engineer to check it.',
    noEndpoint: 'Send the partner a portal link, so that it can set up its endpoint',
    askEngineer: 'Ask an engineer to check it.',
    unknownSale: 'Check the id. If it is right, ask an engineer whether billing has sent the purchase.',
    nothingToDo: 'There is nothing to do.',
    endpoint: 'Endpoint',
  },
  audit: {
    title: 'Audit',
    ofPartner:
      'Actions of managers on the account, its endpoint, tokens, promotions, portal links, voucher groups and sales. The list also shows what the partner changed at its endpoint, with the token or portal link that it used. When the platform itself disables an endpoint, this is not listed: the tab “Endpoint” shows why.',
    at: 'When',
    actor: 'Who',
    action: 'What',
    /** All actions that the API records. */
    actions: [
      'application.approved',
      'application.rejected',
      'delivery.range_replay_requested',
      'delivery.range_replayed',
      'delivery.replay_requested',
      'delivery.replayed',
      'partner.change_requested',
      'partner.changed',
      'partner.created',
      'partner.publish_requested',
      'partner.published',
      'portal_link.created',
      'portal_link.ended',
      'portal_link.used',
      'postback.enable_requested',
      'postback.enabled',
      'postback.save_requested',
      'postback.saved',
      'postback.secret_rotated',
      'postback.secret_rotation_requested',
      'postback.test_requested',
      'promotion.changed',
      'promotion.created',
      'sale.refused',
      'sale.released',
      'statistics.recount_requested',
      'statistics.recounted',
      'token.issued',
      'token.leaked',
      'token.revoked',
      'token.rotated',
      'voucher_group.change_requested',
      'voucher_group.changed',
      'voucher_group.created',
      'voucher_group.requested',
    ],
    /** Returns the name of an action in words, for example “Portal link created” for `portal_link.created`. */
    actionName: (action: string) =>
      NAMES[action] ?? `${action.charAt(0).toUpperCase()}${action.slice(1).replaceAll(/[._]/g, ' ')}`,
    /** Returns the name of a field in words, for example “Signing enabled” for `signingEnabled`. */
    fieldName: (field: string) =>
      FIELD_NAMES[field] ??
      `${field.charAt(0).toUpperCase()}${field.slice(1).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`,
    entity: 'Object',
    toPartner: 'Show the partner',
    change: 'Change',
    field: 'Field',
    before: 'Before',
    inEarlier:
      'This entry does not show the values before the change. Check the previous entry “Endpoint saved” of this object, if there is one.',
    after: 'After',
    noValues: 'This entry has no values.',
    show: 'Show',
    actorFilter: 'Who (complete subject)',
    actionFilter: 'Action',
    partnerFilter: 'Partner',
    entityFilter: 'Id of the object',
    from: 'From',
    to: 'To',
    emptyTitle: 'No actions',
    empty:
      'Every change that managers make, and every change of a partner to its endpoint, is listed here permanently. If you have set filters, try clearing them.',
    emptyOfActor:
      'The filter “Who” needs the complete subject, as shown in the column “Who”. A name or a part of the subject finds nothing. If the subject is complete, try clearing the other filters.',
  },
} as const;
