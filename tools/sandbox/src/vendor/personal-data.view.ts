import { escapeHtml } from '../html';
import { DEMO_USER, KRN_PATTERN } from '../krn';
import { FIELDS, inventedData, type PersonalData } from './personal-data';

/** Returns the card in which a user enters personal data. @param typed the values that the platform has not accepted */
export function personalDataCard(krn: string | undefined, typed: PersonalData | undefined): string {
  return `<div class="card">
      <h2>A new user</h2>
      <p class="muted">To make one, buy Advanced or Pro <a href="/store/checkout">in the store</a> with a new user account. Then enter the personal data
      here, as the app of the user does: the platform asks the vendor to verify the identity, and creates the profile.</p>
      ${krn === undefined ? CHOICE : dataForm(krn, typed)}
    </div>`;
}

const CHOICE = `<form method="get" action="/vendor">
        <label for="new-krn">KRN of the new user, as the purchase shows it</label>
        <input id="new-krn" name="krn" required maxlength="200" pattern="${KRN_PATTERN}" title="A KRN, such as ${DEMO_USER}" autocomplete="off">
        <button class="quiet">Continue to the personal data</button>
      </form>`;

function dataForm(krn: string, typed: PersonalData | undefined): string {
  const user = escapeHtml(krn);
  const values = typed ?? inventedData(krn);
  const origin = typed
    ? 'These are the values that you entered.'
    : 'The values are invented. You can change them, but do not enter those of a real person.';
  const inputs = FIELDS.map(
    ({ name, label, type = 'text', optional }) => `<label for="${name}">${label}${optional ? ' (optional)' : ''}</label>
        <input id="${name}" name="${name}" type="${type}" maxlength="254" autocomplete="off"${optional ? '' : ' required'} value="${escapeHtml(values[name] ?? '')}">`,
  );
  return `<form method="post" action="/vendor/profiles"><input type="hidden" name="krn" value="${user}">
        <div class="row"><span>User</span><span><code>${user}</code> <a href="/vendor">Another user</a></span></div>
        <p class="muted">${origin}</p>
        ${inputs.join('')}
        <button class="quiet">Enter the personal data as this user</button>
      </form>`;
}
