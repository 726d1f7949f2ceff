import { BUREAUS } from './vendor-user';
import { FAULT_ROUTES, FAULTS } from './faults';

const text = { type: 'string', minLength: 1, maxLength: 254 };
const appKey = { type: 'string' };
const clientKey = { type: 'string', pattern: '^[A-Za-z0-9-]{1,64}$' };
const productCode = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
/** Query parameters are always strings. */
const wholeNumber = { type: 'string', pattern: '^[0-9]{1,9}$' };

const address = {
  type: 'object',
  required: ['street', 'city', 'state', 'zip'],
  properties: {
    street: text,
    city: text,
    state: { type: 'string', pattern: '^[A-Z]{2}$' },
    zip: { type: 'string', pattern: '^[0-9]{5}(-[0-9]{4})?$' },
  },
};

/** The fields of a person, as named by the vendor's API. */
const personal = {
  firstName: text,
  lastName: text,
  dob: { type: 'string', format: 'date' },
  ssn: { type: 'string', pattern: '^([0-9]{4}|[0-9]{9})$' },
  phoneNumber: { type: 'string', pattern: '^[0-9]{10,15}$' },
  emailAddress: text,
  address,
};
export const PERSONAL_FIELDS = Object.keys(personal);

export const userParams = { type: 'object', properties: { clientKey } };
export const enrollmentParams = { type: 'object', properties: { clientKey, productCode } };
export const alertParams = {
  type: 'object',
  properties: { bureau: { enum: BUREAUS }, alertId: { type: 'string', pattern: '^[0-9]{1,15}$' } },
};
export const idParams = { type: 'object', properties: { id: clientKey } };
export const userEnrollmentParams = { type: 'object', properties: { id: clientKey, productCode } };
export const enrollmentBody = {
  type: 'object',
  required: ['status'],
  properties: { status: { enum: ['active', 'cancelled'] } },
};

export const putBody = {
  type: 'object',
  required: ['appKey', 'firstName', 'lastName', 'dob', 'emailAddress', 'address'],
  additionalProperties: false,
  properties: { appKey, ...personal },
};
export const patchBody = {
  type: 'object',
  required: ['appKey'],
  minProperties: 2,
  additionalProperties: false,
  properties: { appKey, ...personal },
};
export const clientBody = {
  type: 'object',
  required: ['appKey', 'clientKey'],
  additionalProperties: false,
  properties: { appKey, clientKey },
};
export const userTokenBody = {
  ...clientBody,
  required: ['appKey', 'clientKey', 'ttlInSeconds'],
  properties: { appKey, clientKey, ttlInSeconds: { type: 'integer', minimum: 1, maximum: 86_400 } },
};
export const enrollBody = { type: 'object', required: ['appKey'], additionalProperties: false, properties: { appKey } };

export const appQuery = { type: 'object', required: ['appKey'], properties: { appKey } };
export const clientQuery = { type: 'object', required: ['appKey', 'clientKey'], properties: { appKey, clientKey } };
export const pageQuery = {
  ...clientQuery,
  properties: {
    ...clientQuery.properties,
    bureau: { enum: BUREAUS },
    class: text,
    count: wholeNumber,
    offset: wholeNumber,
  },
};

export const faultBody = {
  type: 'object',
  required: ['route', 'fault'],
  additionalProperties: false,
  properties: {
    route: { enum: FAULT_ROUTES },
    fault: { enum: FAULTS },
    delayMs: { type: 'integer', minimum: 0, maximum: 600_000 },
    times: { type: ['integer', 'null'], minimum: 1 },
  },
};
export const newAlertBody = {
  type: 'object',
  required: ['bureau', 'class'],
  additionalProperties: false,
  properties: { bureau: { enum: BUREAUS }, class: text, detail: { type: 'object' } },
};
export const sampleBody = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: { alerts: { type: 'integer', minimum: 0, maximum: 10_000 } },
};
