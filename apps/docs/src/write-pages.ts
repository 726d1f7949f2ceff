import fs from 'node:fs';
import path from 'node:path';
import { APIS } from './apis';
import { endpointsOf, type OpenApi } from './openapi';
import { isSample, linkedForSite, type Page, pagesOf, SAMPLE_FOLDERS, sampleFile } from './pages';
import { referencePage } from './reference';
import { sdkSamples } from './sdk-samples';

/** The README of each subfolder of these folders becomes a page. */
const GROUPS = ['apps', 'libs', 'sdks', 'examples'];

/** The folders that `writePages` reads and writes. */
export interface Folders {
  /** The root of the repository. */
  readonly root: string;
  /** The folder of this site, `apps/docs`. */
  readonly site: string;
  /** The folder to which the pages and the files that they load are written. */
  readonly out: string;
}

/**
 * Writes the pages of the site: the Markdown files of the repository, and the reference from the OpenAPI documents.
 *
 * @returns the pages that are Markdown files of the repository
 */
export function writePages({ root, site, out }: Folders): Page[] {
  fs.rmSync(out, { recursive: true, force: true });
  const pages = pagesOf(markdownFiles(root));
  for (const { source, route } of pages) {
    write(out, `${route}.md`, linkedForSite(fs.readFileSync(path.join(root, source), 'utf8'), source, pages));
  }
  for (const file of sampleFiles(root)) fs.cpSync(path.join(root, file), path.join(out, 'public', sampleFile(file)));
  const samples = sdkSamples(path.join(site, 'samples'));
  for (const api of APIS) {
    const document = JSON.parse(fs.readFileSync(path.join(root, 'docs/openapi', api.file), 'utf8')) as OpenApi;
    write(out, `reference/${api.name}.md`, referencePage(api, document, api.name === 'partner' ? samples : new Map()));
    fs.cpSync(path.join(root, 'docs/openapi', api.file), path.join(out, 'public/openapi', api.file));
  }
  write(out, 'reference/index.md', referenceIndex(root));
  fs.cpSync(path.join(site, 'home.md'), path.join(out, 'index.md'));
  fs.cpSync(path.join(site, 'public'), path.join(out, 'public'), { recursive: true });
  fs.cpSync(path.join(root, 'docs/images'), path.join(out, 'public'), { recursive: true });
  return pages;
}

function referenceIndex(root: string): string {
  const rows = APIS.map(({ name, title, file }) => {
    const document = JSON.parse(fs.readFileSync(path.join(root, 'docs/openapi', file), 'utf8')) as OpenApi;
    const [first = ''] = (document.info.description ?? '').split('\n');
    return `- [${title}](/reference/${name}), ${endpointsOf(document).length} operations. ${first}`;
  });
  return `# API reference\n\nEach operation has samples in TypeScript, Python and curl.\n\n${rows.join('\n')}\n`;
}

function write(out: string, name: string, text: string): void {
  fs.mkdirSync(path.dirname(path.join(out, name)), { recursive: true });
  fs.writeFileSync(path.join(out, name), text);
}

function sampleFiles(root: string): string[] {
  return SAMPLE_FOLDERS.flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`)
      .filter(isSample),
  );
}

/** Returns the paths of the Markdown files that may be pages, relative to the root of the repository and sorted. */
export function markdownFiles(root: string): string[] {
  const docs = fs.readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const readmes = GROUPS.flatMap((group) =>
    fs.readdirSync(path.join(root, group)).map((name) => `${group}/${name}/README.md`),
  );
  return [
    ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'k8s/README.md'],
    ...docs.map((name) => `docs/${name.replaceAll(path.sep, '/')}`).filter((name) => name.endsWith('.md')),
    ...readmes,
  ]
    .filter((name) => fs.existsSync(path.join(root, name)))
    .sort();
}
