import { escapeHtml, page } from './html';

/** The pages for people. `about` explains what a page is for, and what to try on it and in the console. */
const PAGES: readonly { url: string; name: string; about: string }[] = [
  {
    url: '/store/checkout',
    name: 'The store',
    about:
      'A customer buys a plan, and billing reports the payment. Try: buy with the code or a checkout URL of a partner, and see the sale and the figures of the partner in the console.',
  },
  {
    url: '/store/purchases',
    name: 'The latest purchases',
    about:
      'Billing refunds a purchase, charges it back, or cancels the subscription. Try: refund a sale, and see in the console that it no longer counts.',
  },
  {
    url: '/inbox',
    name: 'The inbox of the demo partner',
    about:
      'The endpoint of a partner, which shows postbacks as they arrive. Try: make it fail, buy something, and see the attempts in the console; let it recover, and send the postback again.',
  },
  {
    url: '/inboxes',
    name: 'All inboxes',
    about:
      'The endpoints of other partners, each with a name of your choice. Try: make one the endpoint of a partner in the portal, and send a test.',
  },
  {
    url: '/vendor',
    name: 'The identity vendor',
    about:
      'It verifies the identities of users, and reports alerts about them. Try: find one of its users by e-mail address or phone number as support; lock the user here, and end the lock in the console.',
  },
];

/** Returns the start page of the sandbox. */
export function homePage(consoleUrl: string): string {
  const cards = PAGES.map(
    ({ url, name, about }) =>
      `<div class="card"><h2><a href="${url}">${name}</a></h2><p class="muted">${about}</p></div>`,
  );
  return page(
    'Sandbox',
    `<h1>Sandbox</h1><p class="muted">It simulates the world outside Tandem for development and tests: customers, billing, partners and the identity
    vendor. Make something happen here, and see the result in <a href="${escapeHtml(consoleUrl)}">the console</a>. To sign in there, choose a
    person: no password is needed.</p>
    <p>To make a user of identity protection, buy Advanced or Pro in the store with a new user account (KRN), and follow the link “Act as this user” of
    the purchase. There you enter the personal data of the user, whom support then finds in the console.</p>
    ${cards.join('')}
    <p class="muted">Programs can control the sandbox over HTTP: docs/sandbox.md lists the requests.</p>`,
  );
}
