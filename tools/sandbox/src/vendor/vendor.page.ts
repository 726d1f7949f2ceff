import { escapeHtml, page, timeElement, timesLeft } from '../html';
import { DEMO_USER, queryOf } from '../krn';
import { type Fault, FAULT_ROUTES, type FaultBook } from './faults';
import type { PersonalData } from './personal-data';
import { personalDataCard } from './personal-data.view';
import { KINDS } from './sample-data';
import type { UserBook } from './user-book';
import type { Bureau, Contact, VendorUser } from './vendor-user';

/** The result of a form. */
export interface Notice {
  at: string;
  text: string;
  good: boolean;
}

/** The values with which the forms of the page are filled in. */
export interface Filled {
  /** The user of the page. If it is undefined, a form that needs a user has a default user, or asks for a user. */
  krn?: string;
  /** The personal data of this user that the platform has not accepted. */
  typed?: PersonalData;
}

/** The value of the option with which a form of the page changes all routes. */
export const ALL_ROUTES = 'all';
export const ROUTE_OPTIONS = [ALL_ROUTES, ...FAULT_ROUTES] as const;

/** The maximum number of users on the page. */
const SHOWN = 50;
const BUREAU_NAMES: Record<Bureau, string> = { idp: 'Monitoring', exp: 'Experian', tui: 'TransUnion', efx: 'Equifax' };
const UNKNOWN = '<span class="muted">not known since the restart of the sandbox</span>';

/** Returns the value of the option for a kind of alerts. */
export const kindOf = ([bureau, className]: (typeof KINDS)[number]): string => `${bureau} ${className}`;

/** Returns the page of the vendor. It shows the state of the vendor and its users, with forms that control them. */
export function vendorPage(
  { users, faults }: { users: UserBook; faults: FaultBook },
  notice: Notice | undefined,
  { krn, typed }: Filled,
): string {
  const query = queryOf(krn);
  const verification = faults.list().find(({ route }) => route === 'verify');
  const failing = faults.list().filter(({ fault }) => fault !== 'refuse');
  const all = users.list();
  const shown = all.slice(-SHOWN).reverse();
  const count = shown.length < all.length ? `The latest ${shown.length} of ${all.length}` : `${all.length}`;
  return page(
    'Identity vendor',
    `<h1>Identity vendor</h1>
    <p class="muted">The vendor verifies identities and monitors the users of identity protection. Support finds these users in the console.
    <a href="/">Start page of the sandbox</a></p>
    ${notice ? `<p class="card${notice.good ? '' : ' warning'}" role="status">${escapeHtml(notice.text)} ${timeElement(notice.at)}</p>` : ''}
    ${identityCard(verification, krn)}
    ${personalDataCard(krn, typed)}
    ${faultsCard(failing, query)}
    <h2>Users</h2>
    <p class="muted">${count}, the newest first. Name, e-mail address and phone number are kept only until the sandbox restarts.</p>
    ${shown.map((user) => userCard(user, users.contactOf(user.clientKey), query)).join('')}`,
  );
}

/** Returns the card that makes the vendor refuse identities. @param fault the present fault of the route `verify` */
function identityCard(fault: Fault | undefined, krn: string | undefined): string {
  const query = queryOf(krn);
  const failure = fault?.fault === 'refuse' ? 'refuses every identity' : `${fault && describe(fault)} when it verifies`;
  const state = fault
    ? `<span class="tag bad">${failure}${timesLeft(fault.times)}</span>`
    : '<span class="tag">confirms every identity</span>';
  return `<div class="card">
      <h2>The vendor ${state}</h2>
      <p class="muted">While identities are refused, the first attempt of a user to prove the identity locks the user for 15 minutes, the second for
      24 hours, and the third until support ends the lock. During a lock, attempts are not counted. For three attempts in a row, the platform must
      have been started with shorter waits: <code>LOCK_FIRST_WAIT_SECONDS=1 LOCK_SECOND_WAIT_SECONDS=1 npm start</code></p>
      <form method="post" action="/vendor/faults${query}" class="choices"><input type="hidden" name="route" value="verify">
        <button class="quiet" name="fault" value="refuse">Refuse every identity</button>
        <button class="quiet" name="fault" value="none">Confirm every identity</button></form>
      <form method="post" action="/vendor/attempts">
        <label for="krn">KRN of a user, as the console shows it</label>
        <input id="krn" name="krn" required maxlength="200" value="${escapeHtml(krn ?? DEMO_USER)}">
        <button class="quiet">Make an attempt as this user</button>
      </form>
    </div>`;
}

/**
 * Returns the card that makes routes fail.
 * @param faults the present faults, without the refusal of identities
 * @param query the query of the page, which names the user; the forms are sent with this query
 */
function faultsCard(faults: readonly Fault[], query: string): string {
  const rows = faults.map(
    (fault) =>
      `<div class="row"><span>${fault.route}</span><span class="tag bad">${describe(fault)}${timesLeft(fault.times)}</span></div>`,
  );
  const options = ROUTE_OPTIONS.map(
    (name) => `<option value="${name}">${name === ALL_ROUTES ? 'everything' : name}</option>`,
  );
  return `<div class="card">
      <h2>Its API <span class="tag${faults.length > 0 ? ' bad' : ''}">${faults.length > 0 ? 'fails' : 'works'}</span></h2>
      ${rows.join('')}
      <form method="post" action="/vendor/faults${query}">
        <label for="route">What fails</label>
        <select id="route" name="route">${options.join('')}</select>
        <div class="choices">
          <button class="quiet" name="fault" value="error">Fail: answer 500</button>
          <button class="quiet" name="fault" value="slow">Be slow: answer after 2 s</button>
          <button class="quiet" name="fault" value="hang">Do not answer</button>
        </div>
      </form>
      <form method="post" action="/vendor/faults${query}" class="choices"><input type="hidden" name="route" value="${ALL_ROUTES}">
        <button class="quiet" name="fault" value="none">Recover: everything works</button></form>
    </div>`;
}

function describe({ fault, delayMs }: Fault): string {
  if (fault === 'error') return 'answers 500';
  if (fault === 'hang') return 'does not answer';
  return `answers after ${delayMs / 1000} s`;
}

function userCard(user: VendorUser, contact: Contact, query: string): string {
  const { firstName, lastName, emailAddress, phoneNumber } = contact;
  const { clientKey, createdAt, fields, enrollments } = user;
  const id = escapeHtml(clientKey);
  const name = [firstName, lastName].filter(Boolean).join(' ');
  const active = enrollments.filter(({ status }) => status === 'active').length;
  const row = (title: string, value: string): string =>
    `<div class="row"><span>${title}</span><span>${value}</span></div>`;
  const options = KINDS.map((kind) => {
    const [bureau, className] = kind;
    return `<option value="${kindOf(kind)}">${BUREAU_NAMES[bureau]}: ${className}</option>`;
  });
  return `<article class="card">
      ${row('Name', name ? escapeHtml(name) : UNKNOWN)}
      ${row('E-mail', contactValue('emailAddress', emailAddress, fields))}
      ${row('Phone', contactValue('phoneNumber', phoneNumber, fields))}
      ${row('Id at the vendor', `<code>${id}</code>`)}
      ${row('Created', timeElement(createdAt))}
      ${row('Active enrollments', String(active))}
      ${row('Alerts', alertsOf(user))}
      <form method="post" action="/vendor/alerts${query}"><input type="hidden" name="clientKey" value="${id}">
        <label for="kind-${id}">Kind of the alert</label><select id="kind-${id}" name="kind">${options.join('')}</select>
        <button class="quiet">Create an alert</button>
      </form></article>`;
}

/** Returns a value of a contact, or why there is none: the vendor never received it, or the sandbox has restarted since. */
function contactValue(field: keyof Contact, value: string | undefined, received: readonly string[]): string {
  if (value) return escapeHtml(value);
  return received.includes(field) ? UNKNOWN : '<span class="muted">none</span>';
}

function alertsOf({ alerts }: VendorUser): string {
  const [latest] = alerts;
  if (!latest) return 'no alerts';
  const { bureau, class: className, createDate } = latest;
  const count = `${alerts.length} ${alerts.length === 1 ? 'alert' : 'alerts'}`;
  return `${count}, the latest ${escapeHtml(`${BUREAU_NAMES[bureau]}: ${className}`)} at ${timeElement(createDate)}`;
}
