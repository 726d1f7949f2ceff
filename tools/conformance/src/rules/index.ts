import { ADMIN } from './admin';
import { CHECKOUT } from './checkout';
import { CLOSURES, DELIVERIES, LISTENING } from './deliveries';
import { DISCOVERY } from './discovery';
import { ERRORS } from './errors';
import { EVENTS } from './events';
import { IDENTITY_ALERTS, IDENTITY_MOCK } from './identity-alerts';
import { IDENTITY_EVENTS } from './identity-events';
import { IDENTITY_SCANS, IDENTITY_STATUS } from './identity-status';
import {
  IDENTITY_AUTHENTICATION,
  IDENTITY_ENROLLMENTS,
  IDENTITY_INPUT,
  IDENTITY_LOCKS,
  IDENTITY_USER,
} from './identity-user';
import { INTERFACE } from './interface';
import { POSTBACK_CONFIGURATION } from './postback-configuration';
import { PARTNER_SALES } from './partner-sales';
import { POSTBACK } from './postback';
import { REPLICAS } from './replicas';
import { REVOKE } from './revoke';
import { STATISTICS } from './statistics';
import type { Section } from './rule';
import { SALES } from './sales';
import { SUPPORT_AUDIT, SUPPORT_AUTHENTICATION, SUPPORT_OPERATIONS } from './support';
import { TOKENS } from './tokens';
import { VOUCHERS } from './vouchers';
import { WEBHOOKS } from './webhooks';

/** Every promise of the APIs, in the order of docs/conformance.md. */
export const SECTIONS: readonly Section[] = [
  INTERFACE,
  TOKENS,
  CHECKOUT,
  SALES,
  REVOKE,
  PARTNER_SALES,
  STATISTICS,
  POSTBACK_CONFIGURATION,
  POSTBACK,
  CLOSURES,
  DELIVERIES,
  LISTENING,
  VOUCHERS,
  ADMIN,
  ERRORS,
  IDENTITY_AUTHENTICATION,
  IDENTITY_INPUT,
  IDENTITY_USER,
  IDENTITY_LOCKS,
  IDENTITY_ENROLLMENTS,
  IDENTITY_EVENTS,
  IDENTITY_STATUS,
  IDENTITY_ALERTS,
  IDENTITY_SCANS,
  IDENTITY_MOCK,
  WEBHOOKS,
  SUPPORT_AUTHENTICATION,
  SUPPORT_OPERATIONS,
  SUPPORT_AUDIT,
  DISCOVERY,
  EVENTS,
  REPLICAS,
];
