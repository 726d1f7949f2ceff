import { newWebhookSecret } from '@tandem/auth';
import { describeInBrowser, LOOKS, problemsOf, TestBrowser } from '@tandem/testing';
import { openBilling } from './billing';
import { checkoutToken } from './sandbox';
import { openVendor, type OpenVendor } from './vendor';

const CHECKOUT = `/store/checkout?checkout=${checkoutToken({ refId: 'order-1' })}&data4=order-1&plan=advanced`;
/** The longest allowed name. It has no space at which a browser could wrap it. */
const LONG_NAME = 'i'.repeat(100);

const PAGES: [string, string][] = [
  ['the start page', '/'],
  ['the list of inboxes', '/inboxes'],
  ['the page that waits for a postback', '/inboxes?oid=sub_of_a_sale_that_nobody_sends_0123456789abcdef0123456789'],
  ['an empty inbox', '/inbox/empty'],
  ['an inbox with messages', '/inbox/shop'],
  ['an inbox with a long name', `/inbox/${LONG_NAME}`],
  ['an inbox that fails', '/inbox/failing'],
  ['the checkout', CHECKOUT],
  ['the checkout without a token', '/store/checkout'],
  ['the checkout with a new user account', '/store/checkout?account=new'],
  ['the vendor with the personal data of a user', `/vendor?krn=krn:tandem:dev:user:${'n'.repeat(64)}`],
  ['the checkout of a changed URL', CHECKOUT.replace('data4=order-1', 'data4=order-2')],
];

describeInBrowser('the pages of the sandbox', () => {
  let browser: TestBrowser;
  let sandbox: OpenVendor;
  let billing: Awaited<ReturnType<typeof openBilling>>;
  beforeAll(async () => {
    billing = await openBilling();
    sandbox = await openVendor({ webhookUrl: billing.url, arrayWebhookUrl: billing.url });
    browser = await TestBrowser.start();
    await send('shop', 'first');
    await sandbox.call('POST', '/inbox/shop/signing-secrets', { secret: newWebhookSecret() });
    await send('shop', 'second');
    await send(LONG_NAME, 'third');
    await sandbox.call('PUT', '/inbox/failing/behaviour', { status: 503, times: 3, delayMs: 20 });
  });
  afterAll(async () => {
    await browser.stop();
    await sandbox.close();
    await billing.close();
  });

  const send = (name: string, oid: string) =>
    fetch(`${sandbox.url}/inbox/${name}`, {
      method: 'POST',
      body: JSON.stringify({ oid, items: [{ category: 'c'.repeat(200) }] }),
      headers: { 'webhook-id': `msg_${oid}`, authorization: `Bearer ${'k'.repeat(200)}` },
    });

  describe.each(LOOKS)('$width px wide, $colorScheme', (look) => {
    it.each(PAGES)('%s meets WCAG A and AA, and does not scroll sideways', async (_name, path) => {
      const page = await browser.open(`${sandbox.url}${path}`, look);
      expect(await problemsOf(page)).toEqual([]);
      await page.context().close();
    });

    it.each([200, 503])(
      'a purchase whose webhook gets %i meets WCAG A and AA, and does not scroll sideways',
      async (status) => {
        billing.answer.next.push({ status });
        const page = await browser.open(`${sandbox.url}${CHECKOUT}`, look);
        await page.getByRole('button', { name: 'Buy' }).click();
        await page.getByText('Thank you').waitFor();
        expect(await problemsOf(page)).toEqual([]);
        await page.context().close();
      },
    );

    it('the page of the vendor meets WCAG A and AA and does not scroll sideways, before and after the vendor fails', async () => {
      await sandbox.write('PATCH', `/user/v2/${await sandbox.createUser()}`, { lastName: 'n'.repeat(64) });
      const page = await browser.open(`${sandbox.url}/vendor`, look);
      expect(await problemsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Refuse every identity' }).click();
      await page.getByText('refuses every identity').waitFor();
      await page.getByRole('button', { name: 'Do not answer' }).click();
      await page.getByText('does not answer').first().waitFor();
      await page.getByRole('button', { name: 'Create an alert' }).first().click();
      await page.getByText('was created').waitFor();
      expect(await problemsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Recover' }).click();
      await page.getByText('works', { exact: true }).waitFor();
      await page.context().close();
    });

    it('a purchase with a user account, and the answer to the personal data of the user, meet WCAG A and AA', async () => {
      const page = await browser.open(`${sandbox.url}/store/checkout?account=new`, look);
      await page.getByRole('button', { name: 'Buy' }).click();
      await page.getByText('Thank you').waitFor();
      expect(await problemsOf(page)).toEqual([]);
      await page.getByRole('link', { name: 'Act as this user' }).click();
      billing.answer.next.push({ status: 400, body: { BadRequest: { EntitlementsRequired: {} } } });
      await page.getByRole('button', { name: 'Enter the personal data' }).click();
      await page.getByText('has no plan with identity protection').waitFor();
      expect(await problemsOf(page)).toEqual([]);
      await page.context().close();
    });

    it('the list of purchases, and a purchase before and after its refund, meet WCAG A and AA, and do not scroll sideways', async () => {
      await sandbox.call('POST', '/store/buy', { email: 'jane@example.com' });
      const page = await browser.open(`${sandbox.url}/store/purchases`, look);
      expect(await problemsOf(page)).toEqual([]);
      await page.getByRole('link', { name: /^sub_/ }).first().click();
      await page.getByRole('heading', { name: 'Purchase', exact: true }).waitFor();
      expect(await problemsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Refund' }).click();
      await page.getByText('refunded', { exact: true }).waitFor();
      expect(await problemsOf(page)).toEqual([]);
      await page.context().close();
    });
  });

  it('an open inbox page shows a new message above the others', async () => {
    await send('watched', 'before');
    const page = await browser.open(`${sandbox.url}/inbox/watched`, { width: 390, colorScheme: 'light' });
    await page.getByText('live', { exact: true }).waitFor();
    await send('watched', 'after');
    await page.getByText('"after"').waitFor();
    const cards = await page.locator('article').allTextContents();
    expect(cards.map((text) => /"oid": "(\w+)"/.exec(text)?.[1])).toEqual(['after', 'before']);
    expect(await problemsOf(page)).toEqual([]);
    await page.context().close();
  });

  it('the page that waits for a postback opens the inbox when the postback arrives', async () => {
    const page = await browser.open(`${sandbox.url}/inboxes?oid=awaited`, { width: 390, colorScheme: 'light' });
    await send('found', 'awaited');
    await page.waitForURL(`${sandbox.url}/inbox/found`);
    await page.context().close();
  });

  describe('without scripts', () => {
    const open = (path: string) =>
      browser.open(`${sandbox.url}${path}`, { width: 390, colorScheme: 'light', javaScriptEnabled: false });

    it('the checkout shows the total of the selected plan, and sells the plan', async () => {
      const page = await open(CHECKOUT);
      const totals = () => page.locator('.row.total:visible').allTextContents();
      expect(await totals()).toEqual([expect.stringContaining('71.96 USD')]);
      await page.getByLabel('VPN').check();
      expect(await totals()).toEqual([expect.stringContaining('47.96 USD')]);
      await page.getByRole('button', { name: 'Buy' }).click();
      await page.getByText('Thank you').waitFor();
      expect(billing.last().body.data).toMatchObject({ plan: 'vpn', amount: '47.96' });
      await page.context().close();
    });

    it('a visitor buys with a new account, enters the personal data of the new user, and makes an attempt as this user', async () => {
      const page = await open('/store/checkout');
      await page.getByRole('button', { name: 'Fill in a new account' }).click();
      const krn = await page.getByLabel('Your user account (KRN)').inputValue();
      await page.getByRole('button', { name: 'Buy' }).click();
      await page.getByText(krn).waitFor();
      expect(billing.last().body.data.customer).toMatchObject({ krn });
      await page.getByRole('link', { name: 'Act as this user' }).click();
      await page.getByLabel('First name').fill('Ann');
      await page.getByRole('button', { name: 'Enter the personal data as this user' }).click();
      await page.getByText(`Personal data of ${krn}: The identity was confirmed`).waitFor();
      expect(billing.last().body).toMatchObject({ firstName: 'Ann', lastName: 'Sample' });
      await page.getByRole('button', { name: 'Make an attempt as this user' }).click();
      await page.getByText(`Attempt as ${krn}: The identity was confirmed.`).waitFor();
      await page.getByRole('link', { name: 'Another user' }).click();
      await page.getByLabel('KRN of the new user').fill('krn:tandem:dev:user:a');
      await page.getByRole('button', { name: 'Continue to the personal data' }).click();
      expect(await page.getByLabel('E-mail').inputValue()).toBe('a@example.com');
      await page.context().close();
    });

    it('a new account is filled in without a change of the plan, the e-mail address, the code or the reference', async () => {
      const page = await open('/store/checkout?data4=order-1');
      await page.getByLabel('Advanced').check();
      await page.getByLabel('E-mail').fill('new@example.com');
      await page.getByLabel('Promotion code').fill('SPRING');
      await page.getByRole('button', { name: 'Fill in a new account' }).click();
      const krn = await page.getByLabel('Your user account (KRN)').inputValue();
      expect(krn).toMatch(/^krn:/);
      expect(await page.getByLabel('Promotion code').inputValue()).toBe('SPRING');
      await page.getByText('order-1').waitFor();
      await page.getByLabel('E-mail').press('Enter');
      await page.getByText('Thank you').waitFor();
      expect(billing.last().body.data).toMatchObject({ plan: 'advanced', customer: { krn, email: 'new@example.com' } });
      await page.context().close();
    });

    it('a purchase can be charged back on the page that follows it, and an older one can be cancelled on its own page', async () => {
      const page = await open('/store/checkout');
      for (const time of ['first', 'second']) {
        await page.getByLabel('E-mail').fill(`${time}@example.com`);
        await page.getByRole('button', { name: 'Buy' }).click();
        if (time === 'second') break;
        await page.getByRole('link', { name: 'Buy another one' }).click();
      }
      await page.getByRole('button', { name: 'Charge back' }).click();
      await page.getByText('charged back', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'the latest purchases' }).click();
      await page.getByRole('link', { name: /^sub_/ }).nth(1).click();
      await page.getByRole('button', { name: 'Cancel the subscription' }).click();
      await page.getByText('cancelled', { exact: true }).waitFor();
      const sent = billing.received.map(({ body }) => body.type);
      expect(sent).toEqual(expect.arrayContaining(['subscription.charged_back', 'subscription.cancelled']));
      await page.context().close();
    });

    it('the page of the vendor makes one part fail, adds an alert for a user, and shows an attempt of a user', async () => {
      await sandbox.createUser();
      const page = await open('/vendor');
      await page.getByLabel('What fails').selectOption('credit-scores');
      await page.getByRole('button', { name: 'Fail: answer 500' }).click();
      await page.getByText('answers 500', { exact: true }).waitFor();
      expect((await sandbox.call('GET', '/vendor/faults')).body).toMatchObject({
        faults: [{ route: 'credit-scores' }],
      });
      await page.getByRole('button', { name: 'Recover' }).click();
      await page.getByText('works', { exact: true }).waitFor();
      const user = page.locator('article').first();
      await user.getByLabel('Kind of the alert').selectOption('Equifax: CREDIT_MONITORING');
      await user.getByRole('button', { name: 'Create an alert' }).click();
      await user.getByText('1 alert, the latest Equifax: CREDIT_MONITORING').waitFor();
      await page.getByRole('button', { name: 'Make an attempt as this user' }).click();
      await page.getByText('Attempt as krn:tandem:dev:user:b: The identity was confirmed.').waitFor();
      await page.context().close();
    });

    it('an inbox shows its messages, shows new messages after a reload, and can be cleared', async () => {
      await send('plain', 'before');
      const page = await open('/inbox/plain');
      await page.getByText('"before"').waitFor();
      await send('plain', 'since');
      await page.getByRole('link', { name: 'look again' }).click();
      await page.getByText('"since"').waitFor();
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByText('Nothing has arrived yet.').waitFor();
      await page.context().close();
    });

    it('an inbox has buttons that make it fail and recover', async () => {
      const page = await open('/inbox/buttons');
      await page.getByRole('button', { name: 'Fail: answer 500' }).click();
      await page.getByText('answers 500', { exact: true }).waitFor();
      expect((await send('buttons', 'refused')).status).toBe(500);
      await page.getByRole('button', { name: 'Recover: answer 200' }).click();
      await page.getByText('answers 200', { exact: true }).waitFor();
      expect((await send('buttons', 'accepted')).status).toBe(200);
      await page.context().close();
    });
  });
});
