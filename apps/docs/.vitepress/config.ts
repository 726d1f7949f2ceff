import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { sidebarOf } from '../src/navigation';
import { withOutsideScripts } from '../src/outside-scripts';
import { writePages } from '../src/write-pages';

const SITE = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const ROOT = path.resolve(SITE, '../..');
const BASE = '/docs/';

const pages = writePages({ root: ROOT, site: SITE, out: path.join(SITE, 'generated') });

/** Returns the id of a heading. It is the same as on GitHub, so that links to headings work there and on the site. */
const slugify = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

export default defineConfig({
  base: BASE,
  srcDir: 'generated',
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  title: 'Tandem',
  description: 'Guides, API reference, operations',
  lang: 'en',
  cleanUrls: true,
  // Without `metaChunk`, each page would contain the hashes of all pages, and change whenever one of them changes.
  metaChunk: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}favicon.svg` }]],
  markdown: {
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // The pages are written for GitHub, so `<id>` in a text must not become a component.
    html: false,
    // Renders indented code like fenced code, which can be scrolled with the keyboard and has a copy button.
    config: (md) => {
      md.renderer.rules.code_block = (tokens, at, ...rest) => {
        (tokens[at] as { info: string }).info = 'sh';
        return md.renderer.rules.fence?.(tokens, at, ...rest) ?? '';
      };
    },
    languageAlias: { promql: 'sql' },
  },
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  transformHtml: (html, _id, { siteConfig }) => withOutsideScripts(html, siteConfig.outDir, BASE),
  themeConfig: {
    search: { provider: 'local' },
    sidebar: sidebarOf(pages, ROOT),
    nav: [
      { text: 'Partner guide', link: '/partner-guide' },
      { text: 'API reference', link: '/reference/' },
      { text: 'Operations', link: '/operations' },
    ],
    outline: [2, 3],
  },
});
