import { describeInBrowser, TestBrowser } from '@tandem/testing';
import { SampleApp } from './fixture/sample-app';

describeInBrowser('the page of an API document', () => {
  let app: SampleApp;
  let browser: TestBrowser;
  beforeAll(async () => {
    [app, browser] = await Promise.all([SampleApp.start(), TestBrowser.start()]);
  });
  afterAll(async () => {
    await browser?.stop();
    await app.running.close();
  });

  it.each(['/docs', '/docs/'])('shows the operations at %s', async (path) => {
    const page = await browser.open(app.running.url + path, { width: 1280, colorScheme: 'light' });
    await page.locator('.opblock-summary-path', { hasText: '/things/{id}' }).first().waitFor();
    expect(await page.title()).toBe('Sample');
    await page.context().close();
  });
});
