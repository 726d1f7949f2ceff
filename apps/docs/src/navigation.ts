import fs from 'node:fs';
import path from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { APIS } from './apis';
import { addressOf, type Page } from './pages';

type Item = DefaultTheme.SidebarItem;

/** Returns the menu of the site. Pages that are not named below are under "More". */
export function sidebarOf(pages: readonly Page[], root: string): Item[] {
  const left = new Map(pages.map((page) => [page.route, page]));
  const take = (...routes: string[]): Item[] =>
    routes.flatMap((route) => {
      const page = left.get(route);
      left.delete(route);
      return page ? [{ text: titleOf(page, root), link: addressOf(route) }] : [];
    });
  const takeBelow = (prefix: string): Item[] =>
    take(...[...left.keys()].filter((route) => route.startsWith(prefix)).sort());
  const menu: Item[] = [
    { text: 'Use the APIs', items: take('partner-guide', 'client-guide', 'events', 'console', 'api-decisions') },
    {
      text: 'API reference',
      items: [
        { text: 'All APIs', link: '/reference/' },
        ...APIS.map(({ name, title }) => ({ text: title, link: `/reference/${name}` })),
      ],
    },
    {
      text: 'SDKs and examples',
      items: [...take('sdks/typescript', 'sdks/python', 'sdks/identity', 'sdks/behaviours'), ...takeBelow('examples/')],
    },
    {
      text: 'Understand',
      items: [
        ...take('overview', 'architecture', 'conformance'),
        folded('Decisions', '/decisions/', takeBelow('decisions/0')),
      ],
    },
    {
      text: 'Run',
      items: [
        ...take('operations', 'on-call', 'restore', 'reliability', 'kubernetes', 'manifests', 'releases'),
        folded('Alerts', '/on-call', takeBelow('operations/')),
      ],
    },
    {
      text: 'Change',
      items: [
        ...take('contributing', 'commands', 'sandbox', 'changelog', 'security'),
        folded('Apps', '/overview#the-apps', takeBelow('apps/')),
        folded('Libs', '/contributing#where-things-live', takeBelow('libs/')),
      ],
    },
  ];
  // The title of the group "Decisions" already links to this page.
  take('decisions/index');
  const more = takeBelow('');
  return more.length === 0 ? menu : [...menu, { text: 'More', items: more }];
}

/** Returns a group that is closed at first. Its title is a link, because VitePress would otherwise render a button inside a button. */
const folded = (text: string, link: string, items: Item[]): Item => ({ text, link, collapsed: true, items });

/** Returns the first heading of a page, without backticks; the path of the file if it has no heading. */
function titleOf({ source }: Page, root: string): string {
  const [, title = source] = /^# (.+)$/m.exec(fs.readFileSync(path.join(root, source), 'utf8')) ?? [];
  return title.replaceAll('`', '');
}
