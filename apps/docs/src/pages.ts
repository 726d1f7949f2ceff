import path from 'node:path';
import { APIS } from './apis';

/** A Markdown file of the repository that is a page of the site. */
export interface Page {
  /** The path of the file, relative to the root of the repository. */
  readonly source: string;
  /** The path of the page, relative to the root of the site, without an extension. */
  readonly route: string;
}

/** The routes of Markdown files on the site. The first pattern that matches a file's path decides. */
const ROUTES: readonly (readonly [pattern: RegExp, route: string])[] = [
  [/^docs\/decisions\/README\.md$/, 'decisions/index'],
  [/^docs\/(.+)\.md$/, '$1'],
  [/^README\.md$/, 'overview'],
  [/^(CONTRIBUTING|CHANGELOG|SECURITY)\.md$/, '$1'],
  [/^libs\/partner-sdk\/README\.md$/, 'sdks/typescript'],
  [/^libs\/identity-sdk\/README\.md$/, 'sdks/identity'],
  [/^sdks\/typescript\/README\.md$/, 'libs/sdks-in-typescript'],
  [/^k8s\/README\.md$/, 'manifests'],
  [/^((?:apps|libs|sdks|examples)\/[^/]+)\/README\.md$/, '$1'],
];

/** Returns the files that are pages of the site, with their routes. @param files paths in the repository */
export const pagesOf = (files: readonly string[]): Page[] =>
  files.flatMap((source) => {
    const [pattern, route] = ROUTES.find(([one]) => one.test(source)) ?? [];
    return pattern && route ? [{ source, route: source.replace(pattern, route).toLowerCase() }] : [];
  });

/** Returns the address of a page for links on the site. */
export const addressOf = (route: string): string => `/${route.replace(/(^|\/)index$/, '$1')}`;

/** The folders with sample code for partners to copy. */
export const SAMPLE_FOLDERS = ['examples/verify-postback', 'examples/shop-typescript/src', 'examples/shop-python'];

/** Returns whether a file of the repository is sample code for partners to copy. */
export const isSample = (file: string): boolean =>
  SAMPLE_FOLDERS.some((folder) => file.startsWith(`${folder}/`)) && /\.(mjs|py|php|go|ts)$/.test(file);

/** Returns the path of a sample's copy on the site. With the suffix `.txt`, browsers show the file, and VitePress does not treat it as a page. */
export const sampleFile = (file: string): string => `${file}.txt`;

/** Maps the OpenAPI documents and their folder, by their paths in the repository, to the addresses that links to them get on the site. */
const OPENAPI: Readonly<Record<string, string>> = {
  'docs/openapi': '/reference/',
  ...Object.fromEntries(APIS.map(({ file }) => [`docs/openapi/${file}`, `/openapi/${file}`])),
};

/**
 * Rewrites the relative links of a Markdown file for the site. A link to a file that is not on the site, such as source code, becomes plain
 * text. A link to an image becomes a link to the root of the site, to which `writePages` copies the image.
 */
export function linkedForSite(text: string, source: string, pages: readonly Page[]): string {
  const routes = new Map(pages.map((page) => [page.source, page.route]));
  const addressFrom = (link: string): string | undefined => {
    const [file = '', fragment] = link.split('#');
    const target =
      file === '' ? source : path.posix.normalize(path.posix.join(path.posix.dirname(source), file)).replace(/\/$/, '');
    const route = routes.get(target) ?? routes.get(`${target}/README.md`);
    const sample = isSample(target) ? `/${sampleFile(target)}` : undefined;
    const address = OPENAPI[target] ?? sample ?? (route === undefined ? undefined : addressOf(route));
    return address === undefined ? undefined : address + (fragment === undefined ? '' : `#${fragment}`);
  };
  return outsideCode(text, (part) =>
    part.replace(
      /(!?)\[((?:`[^`]*`|\\.|[^\]\\`])*)\]\(([^()\s]+)\)/g,
      (whole, image: string, label: string, link: string) => {
        if (/^[a-z]+:/i.test(link)) return whole;
        if (image) return `![${label}](/${path.posix.basename(link)})`;
        const address = addressFrom(link);
        return address === undefined ? label : `[${label}](${address})`;
      },
    ),
  );
}

/** Applies a change to a text, but not to its fenced blocks of code. */
function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(^ *(`{3,}|~{3,})[^]*?^ *\2 *$)/m)
    .map((part, at) => (at % 3 === 0 ? change(part) : at % 3 === 1 ? part : ''))
    .join('');
}
