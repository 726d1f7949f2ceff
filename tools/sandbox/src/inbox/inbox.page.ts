import { escapeHtml, page } from '../html';

/** Runs in the browser. Whatever arrived is put into the page as text, never as HTML. */
const SCRIPT = `
  const list = document.getElementById('messages');
  const state = document.getElementById('state');
  const KEY_HEADERS = ['authorization', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-environment', 'content-type', 'user-agent'];
  let count = 0;

  const element = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const headerRow = ([name, value]) => {
    const row = element('tr', KEY_HEADERS.includes(name) ? 'key' : '');
    row.append(element('td', '', name), element('td', '', String(value)));
    return row;
  };
  const show = (message) => {
    const card = element('div', 'card');
    const title = element('div', 'row');
    title.append(element('strong', '', message.method + ' ' + message.path), element('span', 'muted', 'attempt ' + message.attempt + ', ' + new Date(message.receivedAt).toLocaleTimeString()));
    const rank = ([name]) => (KEY_HEADERS.includes(name) ? KEY_HEADERS.indexOf(name) : KEY_HEADERS.length);
    const headers = element('table');
    headers.append(...Object.entries(message.headers).sort((a, b) => rank(a) - rank(b)).map(headerRow));
    const body = element('pre', '', message.body === null ? message.rawBody : JSON.stringify(message.body, null, 2));
    card.append(title, body, headers);
    list.prepend(card);
    document.getElementById('empty').hidden = true;
    document.title = '(' + ++count + ') Inbox';
  };

  const events = new EventSource('/inbox/' + encodeURIComponent(list.dataset.name) + '/events');
  events.onmessage = (event) => show(JSON.parse(event.data));
  events.onopen = () => { state.textContent = 'live'; state.className = 'tag'; };
  events.onerror = () => { state.textContent = 'reconnecting'; state.className = 'tag bad'; };
  document.getElementById('clear').onclick = async () => {
    await fetch('/inbox/' + encodeURIComponent(list.dataset.name) + '/messages', { method: 'DELETE' });
    list.replaceChildren();
    count = 0;
    document.title = 'Inbox';
    document.getElementById('empty').hidden = false;
  };`;

/** The page on which a person watches what an endpoint gets. */
export const inboxPage = (name: string): string =>
  page(
    'Inbox',
    `<div class="row"><h1>Inbox <code>${escapeHtml(name)}</code></h1><span><span id="state" class="tag bad">connecting</span></span></div>
    <p class="muted">A partner's endpoint. What is sent to it shows up here as it arrives, newest first.
    <a href="/inboxes">All inboxes</a>, <a href="/store/checkout">the store</a></p>
    <button id="clear" class="quiet" type="button">Clear</button>
    <p id="empty" class="card muted">Nothing has arrived yet.</p>
    <div id="messages" data-name="${escapeHtml(name)}"></div>
    <script>${SCRIPT}</script>`,
  );

/** All inboxes that got something; with `oid`, while no postback of that sale has come, it looks again every 2 s. */
export function inboxesPage(inboxes: { name: string; count: number; lastAt: string }[], oid?: string): string {
  const rows = inboxes.map(
    ({ name, count, lastAt }) =>
      `<div class="row"><a href="/inbox/${encodeURIComponent(name)}">${escapeHtml(name)}</a><span>${count} ${count === 1 ? 'message' : 'messages'}, last at ${escapeHtml(lastAt)}</span></div>`,
  );
  const waiting =
    oid === undefined
      ? ''
      : `<p class="card">No postback of <code>${escapeHtml(oid)}</code> has come to an inbox yet. A sale that is nobody's or that is held sends none.</p>`;
  return page(
    'Inboxes',
    `<h1>Inboxes</h1><p class="muted">Partners' endpoints: <code>/inbox/any-name</code>, made by the first request to it.</p>
    ${waiting}<div class="card">${rows.join('') || 'Nothing has arrived yet.'}</div>
    <p><a href="/store/checkout">The store</a></p>`,
    oid === undefined ? '' : '<meta http-equiv="refresh" content="2">',
  );
}
