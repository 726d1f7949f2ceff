import { partnersTexts } from './partners';
import { portalLinkTexts } from './portal-links';

/** The parts of an audit entry that determine its name. */
interface EntryValues {
  readonly action: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

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

/** The names of changes that switch something on or off, by the new value of `active`. */
const SWITCHES: Readonly<Record<string, Readonly<Record<'on' | 'off', string>>>> = {
  'partner.changed': { on: 'Partner activated', off: 'Partner deactivated' },
  'promotion.changed': { on: 'Promotion switched on', off: 'Promotion switched off' },
};

/** The names of fields of audit entries, in the words of the forms, if the code uses other words. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  contactEmail: partnersTexts.contact,
  revokeWindowDays: partnersTexts.window,
  'endpointLimits.concurrency': partnersTexts.limit,
  createdAt: 'Created',
  deactivatedAt: partnersTexts.promotions.ended,
  percentOff: partnersTexts.promotions.percent,
  scopes: partnersTexts.tokens.scopes,
  last4: 'Last 4 characters',
  expiresAt: partnersTexts.tokens.expires,
  lastUsedAt: partnersTexts.tokens.lastUsed,
  readOnly: portalLinkTexts.readOnly,
  'product.name': partnersTexts.vouchers.product,
  'product.tier': partnersTexts.vouchers.tier,
  'product.periodMonths': partnersTexts.vouchers.period,
  stock: partnersTexts.vouchers.stock,
  from: 'From',
  to: 'To (not included)',
  disabledReason: 'Why it is disabled',
  partnerId: 'Id of the partner',
  url: 'URL',
  authMethod: 'Authentication',
  hasKey: 'Key is set',
  isKeyGiven: 'A new key was given',
  notifyClosures: 'Notices of refunds and chargebacks',
};

export const auditTexts = {
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
  /** The names of actions in the filter, if the entries of one action have several names. */
  filterNames: {
    'partner.changed': 'Partner changed, activated or deactivated',
    'promotion.changed': 'Promotion switched on or off',
  } as Readonly<Record<string, string>>,
  /** Returns the name of an action in words, for example “Portal link created” for `portal_link.created`. */
  actionName: (action: string): string =>
    NAMES[action] ?? `${action.charAt(0).toUpperCase()}${action.slice(1).replaceAll(/[._]/g, ' ')}`,
  /** Returns the name of an entry in words, for example “Partner deactivated” for a `partner.changed` that deactivated the partner. */
  entryName: ({ action, before, after }: EntryValues): string => {
    const isSwitched = typeof after?.active === 'boolean' && before?.active === !after.active;
    const name = isSwitched ? SWITCHES[action]?.[after.active === true ? 'on' : 'off'] : undefined;
    return name ?? auditTexts.actionName(action);
  },
  /** Returns the name of a field in words, for example “Signing enabled” for `signingEnabled`. */
  fieldName: (field: string) =>
    FIELD_NAMES[field] ??
    `${field.charAt(0).toUpperCase()}${field
      .slice(1)
      .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      .replaceAll('.', ': ')}`,
  entity: 'Object',
  toPartner: 'Show the partner',
  change: 'Change',
  field: 'Field',
  before: 'Before',
  inEarlier:
    'This entry does not show the values before the change. Check the previous entry “Endpoint saved” of this object, if there is one.',
  after: 'After',
  noChange: 'Nothing was changed.',
  noValues: 'This entry has no values.',
  show: 'Show',
  actorFilter: 'Id of the person, token or link',
  actionFilter: 'Action',
  onlyMine: 'Only mine',
  partnerFilter: 'Partner',
  entityFilter: 'Id of the object',
  from: 'From',
  to: 'To',
  emptyTitle: 'No actions',
  empty:
    'Every change that managers make, and every change of a partner to its endpoint, is listed here permanently. If you have set filters, try clearing them.',
  emptyOfActor:
    'The filter by a person needs the whole id, as the column “Who” shows it. A name or a part of the id finds nothing. If the id is whole, try clearing the other filters.',
} as const;
