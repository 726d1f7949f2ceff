import { why } from './why.mjs';

const text = { type: 'string' };
const at = (value) => encodeURIComponent(value);

/** A query of the options that are given: `--ref-id` is `refId`. */
export const queryOf = (options, names) => {
  const given = names.filter((name) => options[name] !== undefined).map((name) => [camelCase(name), options[name]]);
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
};
const camelCase = (name) => name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());

const LIST = ['cursor', 'limit', 'status', 'oid', 'ref-id'];
const DELIVERY_FILTERS = [...LIST, 'environment'];
export const SALE_FILTERS = [...LIST, 'partner-id'];
export const optionsOf = (names) => Object.fromEntries(names.map((name) => [name, text]));
const inEnvironment = optionsOf(['environment']);

/** What the person on call asks and does about postbacks. `run` is a command of more than one request. */
export const POSTBACK_COMMANDS = {
  why: {
    help: 'tells why a postback did not come, and what to do next',
    takes: ['OID_OR_REF_ID'],
    options: optionsOf(['partner', 'database-url']),
    run: ([asked], o, { get, baseUrl, databaseUrl }) =>
      why(asked, { get, baseUrl, databaseUrl: o['database-url'] ?? databaseUrl, partner: o.partner, json: o.json }),
  },
  postback: {
    help: "shows the state of a partner's postback endpoint",
    takes: ['PARTNER'],
    options: inEnvironment,
    request: ([id], o) => ({ path: `/admin/partners/${at(id)}/postback${queryOf(o, ['environment'])}` }),
  },
  'enable-postback': {
    help: "enables a partner's disabled endpoint; what is held stays held until it is replayed",
    takes: ['PARTNER'],
    options: inEnvironment,
    request: ([id], o) => ({
      method: 'POST',
      path: `/admin/partners/${at(id)}/postback/enable${queryOf(o, ['environment'])}`,
    }),
  },
  deliveries: {
    help: "lists a partner's deliveries with their attempts",
    takes: ['PARTNER'],
    options: optionsOf(DELIVERY_FILTERS),
    request: ([id], o) => ({ path: `/admin/partners/${at(id)}/deliveries${queryOf(o, DELIVERY_FILTERS)}` }),
  },
  'replay-delivery': {
    help: 'sends a delivery again, under the same webhook-id',
    takes: ['PARTNER', 'DELIVERY'],
    options: inEnvironment,
    request: ([id, delivery], o) => ({
      method: 'POST',
      path: `/admin/partners/${at(id)}/deliveries/${at(delivery)}/replay${queryOf(o, ['environment'])}`,
    }),
  },
};
