import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const DIST = path.resolve(__dirname, '../dist');
const BASE = '/docs/';

/** Every page by its address, with the ids to which links can lead. */
const pages = new Map(
  readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html'))
    .map((file) => {
      const html = readFileSync(path.join(DIST, file), 'utf8');
      const address = BASE + file.replaceAll(path.sep, '/').replace(/(index)?\.html$/, '');
      return [address, { html, ids: new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)) }] as const;
    }),
);

/** Returns why a link is dead; undefined if its target exists or is on another host. */
function faultOf(link: string, from: string): string | undefined {
  const url = new URL(link, `http://site${from}`);
  if (url.host !== 'site') return undefined;
  if (!url.pathname.startsWith(BASE)) return `is not below ${BASE}`;
  const page = pages.get(url.pathname);
  if (!page) {
    const file = path.join(DIST, url.pathname.replace(BASE, ''));
    return path.extname(file) !== '' && existsSync(file) ? undefined : 'there is no such page or file';
  }
  const id = decodeURIComponent(url.hash.slice(1));
  return id === '' || page.ids.has(id) ? undefined : 'there is no such heading';
}

describe('the built docs site', () => {
  it('has no dead link: each page, file and heading that a page links to exists', () => {
    expect(pages.size).toBeGreaterThan(100);
    const dead = [...pages].flatMap(([address, { html }]) =>
      [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].flatMap(([, link = '']) => {
        const fault = faultOf(link.replaceAll('&amp;', '&'), address);
        return fault === undefined ? [] : [`${address}: ${link}: ${fault}`];
      }),
    );
    expect([...new Set(dead)]).toEqual([]);
  });

  it('contains no inline script, and loads no script, image or linked file from another host', () => {
    for (const [address, { html }] of pages) {
      expect([address, /<script(?![^>]* src=)/.test(html)]).toEqual([address, false]);
      expect([address, html.match(/<(?:script|img|link)[^>]* (?:src|href)="(?:https?:)?\/\//)]).toEqual([
        address,
        null,
      ]);
    }
  });

  it('has a title, a favicon and a viewport on each page', () => {
    for (const [address, { html }] of pages) {
      const found = [/<title>[^<]+<\/title>/, /rel="icon"/, /name="viewport"/].map((one) => one.test(html));
      expect([address, ...found]).toEqual([address, true, true, true]);
    }
  });
});
