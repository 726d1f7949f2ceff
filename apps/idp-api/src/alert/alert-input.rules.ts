import { InputValidationError } from '../bad-request/input-validation.errors';
import { BUREAUS, type Bureau, MAX_ALERT_ID } from '../array/alerts';

/** An alert id as a string: a positive integer without leading zeros. */
const ALERT_ID = /^[1-9]\d*$/;

/** The alerts that a request marks as read or unread. */
export type AlertSelection = readonly number[] | 'all';

/**
 * Reads the path parameters `bureau` and `alertId`.
 *
 * @returns the bureau and the id; Infinity for an id above {@link MAX_ALERT_ID}, because no alert has such an id
 * @throws InputValidationError naming `bureau`, `alertId` or both
 */
export function readAlertPath({ bureau, alertId }: { bureau: string; alertId: string }): {
  bureau: Bureau;
  alertId: number;
} {
  const known = BUREAUS.find((one) => one === bureau);
  const id = parseAlertId(alertId);
  if (known !== undefined && id !== null) return { bureau: known, alertId: id };
  throw new InputValidationError([...(known === undefined ? ['bureau'] : []), ...(id === null ? ['alertId'] : [])]);
}

/**
 * Reads the path parameter `alertId` of a path without a bureau.
 *
 * @returns the id; Infinity for an id above {@link MAX_ALERT_ID}, because no alert has such an id
 * @throws InputValidationError naming `alertId`
 */
export function readAlertId(text: string): number {
  const id = parseAlertId(text);
  if (id === null) throw new InputValidationError(['alertId']);
  return id;
}

/**
 * Reads the body of a request that marks several alerts. No body, `null`, `{}` and `{"alertIds":null}` mean all alerts; `{"alertIds":[]}`
 * means none. A body that has only other fields is refused, so that a misspelled name does not mark all alerts.
 *
 * @returns `all`, or a list that contains each id once. Ids above {@link MAX_ALERT_ID}, which no alert has, are left out
 * @throws InputValidationError naming `body`, `alertIds`, or each invalid element, as in `alertIds[3]`
 */
export function readSelection(body: unknown): AlertSelection {
  if (body === undefined || body === null) return 'all';
  if (typeof body !== 'object' || Array.isArray(body)) throw new InputValidationError(['body']);
  const { alertIds = Object.keys(body).length === 0 ? null : undefined } = body as { alertIds?: unknown };
  if (alertIds === null) return 'all';
  if (!Array.isArray(alertIds)) throw new InputValidationError(['alertIds']);
  const ids = alertIds.map(parseAlertId);
  const bad = ids.flatMap((id, index) => (id === null ? [`alertIds[${index}]`] : []));
  if (bad.length > 0) throw new InputValidationError(bad);
  return [...new Set(ids as number[])].filter(Number.isFinite);
}

/**
 * Parses a positive integer, which may be a string or a JSON number. Returns Infinity for a number above {@link MAX_ALERT_ID}, and null for
 * any other value. A number may be Infinity already, because JSON.parse returns Infinity for numbers above about 1.8e308.
 */
function parseAlertId(value: unknown): number | null {
  if (typeof value === 'number' ? !isIdNumber(value) : !isIdText(value)) return null;
  const id = Number(value);
  return id <= MAX_ALERT_ID ? id : Infinity;
}

const isIdNumber = (value: number): boolean => value >= 1 && (Number.isInteger(value) || value === Infinity);
const isIdText = (value: unknown): boolean => typeof value === 'string' && ALERT_ID.test(value);
