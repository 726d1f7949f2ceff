import { escapeHtml, page, timeElement } from '../html';
import { behaviourForm } from './behaviour.view';
import type { InboxBook } from './inbox';
import { messageCard } from './message.view';

/** The script that adds messages which arrive while the page is open. Their text is safe, because the server escapes it. */
const WATCH = `
  const list = document.getElementById('messages');
  const state = document.getElementById('state');
  const show = (text, className) => Object.assign(state, { hidden: false, textContent: text, className });
  const { name, last } = list.dataset;
  const events = new EventSource('/inbox/' + encodeURIComponent(name) + '/events?after=' + last);
  events.onopen = () => show('live', 'tag');
  events.onerror = () => show('reconnecting', 'tag bad');
  events.onmessage = (event) => {
    list.insertAdjacentHTML('afterbegin', JSON.parse(event.data).html);
    document.getElementById('empty').hidden = true;
    document.title = '(' + list.childElementCount + ') Inbox';
  };`;

/**
 * Returns the page of an inbox. It shows the configured answer, buttons that change this answer, and the messages. Without scripts, new messages
 * appear only after a reload.
 * @param count the maximum number of messages, newest first
 */
export function inboxPage(name: string, book: InboxBook, count: number): string {
  const own = `/inbox/${encodeURIComponent(name)}`;
  const messages = book.list(name).slice(0, count);
  return page(
    'Inbox',
    `<div class="row"><h1>Inbox <code>${escapeHtml(name)}</code></h1><span id="state" role="status" hidden></span></div>
    <p class="muted">A partner's endpoint. Requests appear here as they arrive, newest first.
    <a href="/inboxes">All inboxes</a>, <a href="/store/checkout">the store</a>, <a href="/">the start page of the sandbox</a>
    <noscript>, <a href="${own}">look again</a></noscript></p>
    ${behaviourForm(`${own}/behaviour`, book.behaviourOf(name))}
    <form method="post" action="${own}/clear"><button class="quiet">Clear</button></form>
    <p id="empty" class="card muted"${messages.length > 0 ? ' hidden' : ''}>Nothing has arrived yet.</p>
    <div id="messages" data-name="${escapeHtml(name)}" data-last="${messages[0]?.id ?? 0}">${messages.map(messageCard).join('')}</div>
    <script>${WATCH}</script>`,
  );
}

/** The script that asks the server every 2 s, until the server redirects to the inbox that has received the postback. */
const WAIT = `
  setInterval(async () => {
    const answer = await fetch(location.href);
    if (answer.redirected) location.replace(answer.url);
  }, 2000);`;

/** Returns the page that lists all inboxes with messages. With `oid`, it also waits for the first postback of that sale. */
export function inboxesPage(inboxes: { name: string; count: number; lastAt: string }[], oid?: string): string {
  const rows = inboxes.map(
    ({ name, count, lastAt }) =>
      `<div class="row"><a href="/inbox/${encodeURIComponent(name)}">${escapeHtml(name)}</a><span>${count} ${count === 1 ? 'message' : 'messages'}, last at ${timeElement(lastAt)}</span></div>`,
  );
  const waiting =
    oid === undefined
      ? ''
      : `<p class="card">No postback of <code>${escapeHtml(oid)}</code> has arrived at an inbox yet. None is sent for a sale without a
        partner, or for a held sale. <a href="/inboxes?oid=${encodeURIComponent(oid)}">Look again</a></p><script>${WAIT}</script>`;
  return page(
    'Inboxes',
    `<h1>Inboxes</h1><p class="muted">Partners' endpoints: <code>/inbox/any-name</code>, created by the first request.</p>
    ${waiting}<div class="card">${rows.join('') || 'Nothing has arrived yet.'}</div>
    <p><a href="/store/checkout">The store</a>, <a href="/">the start page of the sandbox</a></p>`,
  );
}
