import { randomUUID } from 'node:crypto';
import { requestJson } from '../stack/http.mjs';

const press = (page, name) => page.getByRole('main').getByRole('button', { name, exact: true }).first().click();
const inDialog = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const field = (page, name) => page.getByRole('textbox', { name, exact: true });
const shows = (page, words) => page.getByText(words).first();
const count = async (driver, path) => (await driver.manage('GET', path)).items.length;
const audited = (driver, action, entityId) => count(driver, `/admin/audit?action=${action}&entityId=${entityId}`);
const auditedBySupport = async (driver, krn, action) => {
  const { items } = await driver.support('GET', krn, undefined, '/audit?limit=500');
  return items.filter((entry) => entry.action === action).length;
};

async function apply(driver) {
  const companyName = `Applied ${randomUUID()}`;
  const body = { companyName, email: `${randomUUID()}@example.com`, kind: 'promotion' };
  const { status } = await requestJson('POST', `${driver.stack.baseUrl}/api/v2/partner-applications`, { body });
  if (status !== 202) throw new Error(`the application was refused: ${status}`);
  return companyName;
}

async function actOnUser(driver, page, action) {
  const { krn } = driver.stack.users.b;
  await driver.goTo(page, `/support/users/${encodeURIComponent(krn)}`);
  await press(page, action);
  await page.getByRole('textbox', { name: 'Reason' }).fill('case 11');
  return inDialog(page, action);
}

/**
 * The actions of the console. Each row has the title of the action, the person who performs it, the API call that it makes, and a function `fill`,
 * which fills in the form of the action and returns:
 * - `button`: the button that submits the form
 * - `shown`: the element that appears after success
 * - `times`: a function that returns how often the action was performed
 *
 * @type {[string, string, [string, RegExp], (page: any, world: any) => Promise<any>][]}
 */
const ROWS = [
  [
    'adds a partner',
    'a manager',
    ['POST', /^\/admin\/partners$/],
    async (page, { driver }) => {
      const name = `Typed ${randomUUID()}`;
      await driver.goTo(page, '/partners');
      await press(page, 'Add a partner');
      await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(name);
      return {
        button: inDialog(page, 'Add a partner'),
        shown: page.getByRole('heading', { name, exact: true }),
        times: () => count(driver, `/admin/partners?search=${encodeURIComponent(name)}`),
      };
    },
  ],
  [
    'issues a token',
    'a manager',
    ['POST', /^\/admin\/partners\/[^/]+\/tokens$/],
    async (page, { driver, partner }) => {
      await driver.goTo(page, `/partners/${partner.id}?tab=tokens`);
      await press(page, 'Issue a token');
      await page.getByRole('dialog').getByRole('checkbox', { name: 'sales:revoke' }).uncheck();
      return {
        button: inDialog(page, 'Issue a token'),
        shown: shows(page, 'It is shown only once'),
        times: () => count(driver, `/admin/partners/${partner.id}/tokens`),
      };
    },
  ],
  [
    'adds a voucher group',
    'a manager',
    ['POST', /^\/admin\/partners\/[^/]+\/voucher-groups$/],
    async (page, { driver }) => {
      const { id } = await driver.manage('POST', '/admin/partners', { name: `V ${randomUUID()}`, kind: 'voucher' });
      await driver.goTo(page, `/partners/${id}?tab=vouchers`);
      await press(page, 'Add a voucher group');
      await field(page, 'Name of the group').fill('Spring campaign');
      await field(page, 'Product').fill('Advanced, 1 year');
      return {
        button: inDialog(page, 'Add a voucher group'),
        shown: page.getByRole('cell', { name: 'Spring campaign' }),
        times: () => count(driver, `/admin/partners/${id}/voucher-groups`),
      };
    },
  ],
  [
    'ends a token that has leaked',
    'a manager',
    ['POST', /^\/admin\/tokens\/[^/]+\/leaked$/],
    async (page, { driver }) => {
      // Creates a new partner, because the page would show cached tokens of a partner that it has loaded a few seconds ago.
      const owner = await driver.partner();
      const { items } = await driver.manage('GET', `/admin/partners/${owner.id}/tokens`);
      const [{ id, last4 }] = items;
      await driver.goTo(page, `/partners/${owner.id}?tab=tokens`);
      await page.getByRole('row', { name: last4 }).getByRole('button', { name: 'Leaked' }).click();
      return {
        button: inDialog(page, 'Replace leaked token'),
        shown: shows(page, 'It is shown only once'),
        times: () => audited(driver, 'token.leaked', id),
      };
    },
  ],
  [
    'releases a held sale',
    'a manager',
    ['POST', /^\/admin\/sales\/decisions$/],
    async (page, { driver, partner }) => {
      const held = await driver.sell(partner, { email: `${randomUUID()}@yopmail.com` });
      await driver.goTo(page, '/held');
      await page.getByRole('checkbox', { name: held }).check();
      await press(page, 'Release 1 sale');
      await field(page, 'Note').fill('case 12');
      return {
        button: inDialog(page, 'Release 1 sale'),
        shown: shows(page, '1 sale was released.'),
        times: () => audited(driver, 'sale.released', held),
      };
    },
  ],
  [
    'sends a failed postback again',
    'a manager',
    ['POST', /^\/admin\/partners\/[^/]+\/deliveries\/[^/]+\/replay$/],
    async (page, { driver, partner }) => {
      await driver.behave(partner, { status: 400 });
      const failed = await driver.sell(partner);
      const deliveries = `/admin/partners/${partner.id}/deliveries?oid=${failed}`;
      let id = '';
      await driver.eventually(async () => {
        const [delivery] = (await driver.manage('GET', deliveries)).items;
        id = delivery?.id;
        return delivery?.attempts.length > 0;
      });
      await driver.behave(partner, { status: 200 });
      await driver.goTo(page, `/partners/${partner.id}?tab=deliveries&oid=${failed}`);
      await page.getByRole('row', { name: failed }).getByRole('button', { name: 'Send again' }).click();
      return {
        button: inDialog(page, 'Send again'),
        shown: page.getByRole('row', { name: failed }).getByText('Delivered'),
        // Counts replays, not attempts, because the platform also retries failed attempts.
        times: () => audited(driver, 'delivery.replayed', id),
      };
    },
  ],
  [
    'approves an application',
    'a manager',
    ['POST', /^\/admin\/applications\/[^/]+\/approve$/],
    async (page, { driver }) => {
      const company = await apply(driver);
      await driver.goTo(page, '/applications');
      await page.getByRole('row', { name: company }).getByRole('button', { name: 'Approve' }).click();
      return {
        button: inDialog(page, 'Approve'),
        shown: page.getByRole('heading', { name: company, exact: true }),
        times: () => count(driver, `/admin/partners?search=${encodeURIComponent(company)}`),
      };
    },
  ],
  [
    'rejects an application',
    'a manager',
    ['POST', /^\/admin\/applications\/[^/]+\/reject$/],
    async (page, { driver }) => {
      const company = await apply(driver);
      await driver.goTo(page, '/applications?status=pending');
      await page.getByRole('row', { name: company }).getByRole('button', { name: 'Reject' }).click();
      await field(page, 'Note').fill('No website');
      return {
        button: inDialog(page, 'Reject'),
        shown: page.getByText(`The application of ${company} was rejected.`),
        times: async () => {
          const { items } = await driver.manage('GET', '/admin/applications?status=rejected');
          return items.filter(({ companyName, note }) => companyName === company && note === 'No website').length;
        },
      };
    },
  ],
  [
    'creates a portal link',
    'a manager',
    ['POST', /^\/admin\/partners\/[^/]+\/portal-links$/],
    async (page, { driver, partner }) => {
      await driver.goTo(page, `/partners/${partner.id}?tab=links`);
      await press(page, 'Create a portal link');
      await page.getByRole('dialog').getByRole('switch', { name: 'Read-only access' }).check();
      return {
        button: inDialog(page, 'Create a portal link'),
        shown: shows(page, 'It is shown only once'),
        times: () => count(driver, `/admin/partners/${partner.id}/portal-links`),
      };
    },
  ],
  [
    'exports its sales',
    'a partner',
    ['GET', /^\/api\/v2\/partner\/sales\/export$/],
    async (page, { driver }) => {
      let files = 0;
      page.on('download', () => (files += 1));
      await driver.goTo(page, '/my/sales');
      await page.getByRole('textbox', { name: 'Reference' }).fill('order-1');
      return {
        button: page.getByRole('main').getByRole('button', { name: /^Export/ }),
        shown: shows(page, 'The export was saved.'),
        times: () => files,
      };
    },
  ],
  [
    'tests its endpoint',
    'a partner',
    ['POST', /^\/api\/v2\/partner\/postback\/test$/],
    async (page, { driver, partner }) => {
      await driver.goTo(page, '/my/endpoint');
      await press(page, 'Send a test');
      return {
        button: inDialog(page, 'Send a test'),
        shown: shows(page, 'The endpoint answered 200'),
        times: async () => {
          const { body } = await requestJson('GET', `${driver.stack.sandbox.inbox}/${partner.inbox}/messages`);
          return body.items.filter((message) => message.rawBody.includes('test_')).length;
        },
      };
    },
  ],
  [
    'creates a checkout URL',
    'a partner',
    ['GET', /^\/api\/v2\/partner\/subscription\/create-checkout-url$/],
    async (page, { driver }) => {
      await driver.goTo(page, '/my/checkout');
      // To show the lifetime of URLs, the page makes the same call before the action. Waits for the end of that call.
      await shows(page, 'It is valid for').waitFor();
      await page.getByRole('textbox', { name: 'Your reference' }).fill('order-9');
      const shown = page.getByText(/20% off/);
      return { button: page.getByRole('button', { name: 'Create the URL' }), shown, times: () => shown.count() };
    },
  ],
  [
    'revokes a sale',
    'a partner',
    ['PUT', /^\/api\/v2\/partner\/subscription\/revoke$/],
    async (page, { driver, partner }) => {
      const sold = await driver.sell(partner);
      await driver.goTo(page, `/my/sales/${sold}`);
      await press(page, 'Revoke the sale');
      await field(page, 'Note').fill('paid back');
      return {
        button: inDialog(page, 'Revoke the sale'),
        shown: page.getByRole('main').getByText('Revoked', { exact: true }).first(),
        times: () => count(driver, `/admin/sales?oid=${sold}&status=revoked`),
      };
    },
  ],
  [
    'finds a user by e-mail address',
    'support',
    ['POST', /^\/idp\/support\/users\/search$/],
    async (page, { driver }) => {
      const { krn } = driver.stack.users.b;
      const emailAddress = `${randomUUID()}@example.com`;
      await driver.support('PATCH', krn, { ssn: '6789', emailAddress });
      await driver.goTo(page, '/support');
      await page.getByRole('combobox', { name: 'Find by' }).selectOption('E-mail address');
      await field(page, 'E-mail address').fill(emailAddress);
      return {
        button: page.getByRole('button', { name: 'Show the user' }),
        shown: page.getByRole('main').getByText(krn, { exact: true }).first(),
        times: () => driver.supportActs('user.search'),
      };
    },
  ],
  [
    'unlocks a user',
    'support',
    ['POST', /^\/idp\/support\/users\/[^/]+\/unlock$/],
    async (page, { driver }) => {
      const { krn } = driver.stack.users.b;
      await driver.lock(driver.stack.users.b);
      return {
        button: await actOnUser(driver, page, 'Unlock the user'),
        shown: shows(page, 'The user is unlocked.'),
        times: () => auditedBySupport(driver, krn, 'user.unlock'),
      };
    },
  ],
  [
    'changes the personal data of a user',
    'support',
    ['PATCH', /^\/idp\/support\/users\/[^/]+$/],
    async (page, { driver }) => {
      const { krn } = driver.stack.users.b;
      const button = await actOnUser(driver, page, 'Change the personal data');
      await field(page, 'Social Security number').fill('6789');
      await page.getByLabel('Date of birth').fill('1984-02-29');
      await field(page, 'Street address').fill('12 Larkspur Lane');
      await field(page, 'City').fill('Portland');
      await field(page, 'State').fill('OR');
      await field(page, 'ZIP code').fill('97201');
      return {
        button,
        shown: shows(page, 'The data was changed, and the user has all attempts again.'),
        times: () => auditedBySupport(driver, krn, 'user.update'),
      };
    },
  ],
  [
    'erases a user',
    'support',
    ['DELETE', /^\/idp\/support\/users\/[^/]+$/],
    async (page, { driver }) => {
      const { krn } = driver.stack.users.b;
      const button = await actOnUser(driver, page, 'Erase the user');
      await page.getByRole('textbox', { name: 'Enter the KRN to confirm' }).fill(krn);
      return {
        button,
        shown: shows(page, 'was erased from our platform on'),
        times: () => auditedBySupport(driver, krn, 'user.delete'),
      };
    },
  ],
];

export const ACTIONS = ROWS.map(([title, who, call, fill]) => ({ title, who, call, fill }));
