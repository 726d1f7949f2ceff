import { optionsOf, POSTBACK_COMMANDS, queryOf, SALE_FILTERS } from './partner-postback-commands.mjs';

const text = { type: 'string' };
const paging = { cursor: text, limit: text };
const at = (value) => encodeURIComponent(value);
const list = (value) => value?.split(',').map((part) => part.trim());

/** A whole number out of an option. @throws when it is none */
function whole(value, name) {
  if (value === undefined) return undefined;
  if (!/^-?\d+$/.test(value)) throw new Error(`--${name} must be a whole number, not "${value}"`);
  return Number(value);
}

function truth(value, name) {
  if (value === undefined) return undefined;
  if (value !== 'true' && value !== 'false') throw new Error(`--${name} must be true or false, not "${value}"`);
  return value === 'true';
}

function endpointLimitsOf(value) {
  if (value === undefined) return undefined;
  return { concurrency: value === 'default' ? null : whole(value, 'endpoint-concurrency') };
}

const query = (options) => {
  const parameters = new URLSearchParams(Object.entries(options).filter(([, value]) => value !== undefined));
  return parameters.size > 0 ? `?${parameters}` : '';
};
const pageOf = ({ cursor, limit, status }) => query({ cursor, limit, status });

/**
 * The commands over the admin API: `takes` are the positional arguments, `needs` the options that must be given, and
 * `request` says what is sent.
 */
export const COMMANDS = {
  create: {
    help: 'makes a partner',
    options: {
      name: text,
      kind: text,
      'contact-email': text,
      'revoke-window-days': text,
      'endpoint-concurrency': text,
    },
    needs: ['name', 'kind'],
    request: (_ids, o) => ({
      method: 'POST',
      path: '/admin/partners',
      body: {
        name: o.name,
        kind: o.kind,
        contactEmail: o['contact-email'],
        revokeWindowDays: whole(o['revoke-window-days'], 'revoke-window-days'),
        endpointLimits: endpointLimitsOf(o['endpoint-concurrency']),
      },
    }),
  },
  list: { help: 'lists partners', options: paging, request: (_ids, o) => ({ path: `/admin/partners${pageOf(o)}` }) },
  show: { help: 'shows one partner', takes: ['PARTNER'], request: ([id]) => ({ path: `/admin/partners/${at(id)}` }) },
  change: {
    help: "changes a partner; --endpoint-concurrency default goes back to the platform's limit",
    takes: ['PARTNER'],
    options: {
      name: text,
      active: text,
      'contact-email': text,
      'revoke-window-days': text,
      'endpoint-concurrency': text,
    },
    request: ([id], o) => ({
      method: 'PATCH',
      path: `/admin/partners/${at(id)}`,
      body: {
        name: o.name,
        active: truth(o.active, 'active'),
        contactEmail: o['contact-email'],
        revokeWindowDays: whole(o['revoke-window-days'], 'revoke-window-days'),
        endpointLimits: endpointLimitsOf(o['endpoint-concurrency']),
      },
    }),
  },
  'issue-token': {
    help: "makes a token, shown this once; --scopes a,b gives it fewer than all of the partner's kind",
    takes: ['PARTNER'],
    options: {
      environment: { ...text, default: 'live' },
      scopes: text,
      'expires-at': text,
    },
    request: ([id], o) => ({
      method: 'POST',
      path: `/admin/partners/${at(id)}/tokens`,
      body: { environment: o.environment, scopes: list(o.scopes), expiresAt: o['expires-at'] },
    }),
  },
  'list-tokens': {
    help: "lists a partner's tokens",
    takes: ['PARTNER'],
    options: paging,
    request: ([id], o) => ({ path: `/admin/partners/${at(id)}/tokens${pageOf(o)}` }),
  },
  'rotate-token': {
    help: 'makes a successor; the old token stays valid for a while (86400 s)',
    takes: ['TOKEN_ID'],
    options: { 'overlap-seconds': text },
    request: ([id], o) => ({
      method: 'POST',
      path: `/admin/tokens/${at(id)}/rotate`,
      body: { overlapSeconds: whole(o['overlap-seconds'], 'overlap-seconds') },
    }),
  },
  'revoke-token': {
    help: 'ends a token at once',
    takes: ['TOKEN_ID'],
    request: ([id]) => ({ method: 'DELETE', path: `/admin/tokens/${at(id)}` }),
    done: ([id]) => `token ${id} is revoked`,
  },
  'add-promotion': {
    help: "gives a partner its discount; an active one takes the earlier one's place",
    takes: ['PARTNER'],
    options: { code: text, 'percent-off': text, active: text },
    needs: ['code', 'percent-off'],
    request: ([id], o) => ({
      method: 'POST',
      path: `/admin/partners/${at(id)}/promotions`,
      body: { code: o.code, percentOff: whole(o['percent-off'], 'percent-off'), active: truth(o.active, 'active') },
    }),
  },
  'list-promotions': {
    help: "lists a partner's promotions",
    takes: ['PARTNER'],
    options: paging,
    request: ([id], o) => ({ path: `/admin/partners/${at(id)}/promotions${pageOf(o)}` }),
  },
  'set-promotion': {
    help: 'switches a promotion on or off',
    takes: ['PROMOTION_ID'],
    options: { active: text },
    needs: ['active'],
    request: ([id], o) => ({
      method: 'PATCH',
      path: `/admin/promotions/${at(id)}`,
      body: { active: truth(o.active, 'active') },
    }),
  },
  'add-voucher-group': {
    help: 'gives a voucher partner a group that it can make coupons of',
    takes: ['PARTNER'],
    options: {
      name: text,
      product: text,
      tier: text,
      'period-months': text,
      currency: text,
      environment: text,
      status: text,
      stock: text,
      'valid-from': text,
      'valid-until': text,
    },
    needs: ['name', 'product', 'period-months', 'currency'],
    request: ([id], o) => ({
      method: 'POST',
      path: `/admin/partners/${at(id)}/voucher-groups`,
      body: {
        name: o.name,
        product: { name: o.product, tier: o.tier, periodMonths: whole(o['period-months'], 'period-months') },
        currency: o.currency,
        environment: o.environment,
        status: o.status,
        stock: whole(o.stock, 'stock'),
        validFrom: o['valid-from'],
        validUntil: o['valid-until'],
      },
    }),
  },
  'list-voucher-groups': {
    help: "lists a partner's voucher groups",
    takes: ['PARTNER'],
    options: paging,
    request: ([id], o) => ({ path: `/admin/partners/${at(id)}/voucher-groups${pageOf(o)}` }),
  },
  'set-voucher-group': {
    help: 'changes the status or the stock of a voucher group; --stock none takes its limit away',
    takes: ['VOUCHER_GROUP_ID'],
    options: { status: text, stock: text },
    request: ([id], o) => ({
      method: 'PATCH',
      path: `/admin/voucher-groups/${at(id)}`,
      body: { status: o.status, stock: o.stock === 'none' ? null : whole(o.stock, 'stock') },
    }),
  },
  sales: {
    help: 'lists sales, for example those held for review',
    options: optionsOf(SALE_FILTERS),
    request: (_ids, o) => ({ path: `/admin/sales${queryOf(o, SALE_FILTERS)}` }),
  },
  'release-sale': {
    help: 'lets a held sale qualify',
    takes: ['OID'],
    request: ([oid]) => ({ method: 'POST', path: `/admin/sales/${at(oid)}/release` }),
  },
  'refuse-sale': {
    help: 'ends a held sale',
    takes: ['OID'],
    request: ([oid]) => ({ method: 'POST', path: `/admin/sales/${at(oid)}/refuse` }),
  },
  ...POSTBACK_COMMANDS,
  audit: {
    help: 'lists what was done, newest first',
    options: paging,
    request: (_ids, o) => ({ path: `/admin/audit${pageOf(o)}` }),
  },
};
