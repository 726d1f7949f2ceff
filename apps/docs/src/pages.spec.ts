import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { linkedForSite, pagesOf, SAMPLE_FOLDERS } from './pages';

const pages = pagesOf([
  'docs/partner-guide.md',
  'docs/decisions/README.md',
  'apps/console/README.md',
  'CONTRIBUTING.md',
  'NOTES.md',
]);
const linked = (text: string, source = 'docs/partner-guide.md'): string => linkedForSite(text, source, pages);

describe('the pages of the site', () => {
  it('are the documents and READMEs of the repository, at addresses without an extension', () => {
    expect(pages.map(({ route }) => route)).toEqual([
      'partner-guide',
      'decisions/index',
      'apps/console',
      'contributing',
    ]);
  });

  it('have a different address for each Markdown file of the repository', () => {
    const root = path.resolve(__dirname, '../../..');
    const files = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
    const routes = pagesOf(files).map(({ route }) => route);
    expect(routes.filter((route, at) => routes.indexOf(route) !== at)).toEqual([]);
  });

  it.each([
    ['[a](../CONTRIBUTING.md#recipes)', '[a](/contributing#recipes)'],
    ['[a](../apps/console)', '[a](/apps/console)'],
    ['[a](decisions/README.md)', '[a](/decisions/)'],
    ['[a](#token)', '[a](/partner-guide#token)'],
    ['[`b`](openapi/partner-api.json)', '[`b`](/openapi/partner-api.json)'],
    ['[a](openapi)', '[a](/reference/)'],
    ['[a](https://example.com/x.md)', '[a](https://example.com/x.md)'],
    ['![a](images/a.png)', '![a](/a.png)'],
  ])('contain the link %s as %s', (text, expected) => {
    expect(linked(text)).toBe(expected);
  });

  it('link to the copy of a sample on the site', () => {
    expect(linked('[the endpoint](../examples/verify-postback/go/main.go)')).toBe(
      '[the endpoint](/examples/verify-postback/go/main.go.txt)',
    );
  });

  it('show only the text of a link to a file that is not on the site', () => {
    expect(linked('see [the edge](../tools/edge/src/server.ts), [`x`](../NOTES.md)')).toBe('see the edge, `x`');
  });

  it('leave blocks of code unchanged', () => {
    const text = '```md\n[a](decisions/README.md)\n```\n';
    expect(linked(text)).toBe(text);
  });
});

describe('apps/docs/image/Dockerfile', () => {
  it.each(SAMPLE_FOLDERS)('copies the samples in %s, to which the site links', (folder) => {
    expect(readFileSync(path.join(__dirname, '../image/Dockerfile'), 'utf8')).toContain(` ${folder} `);
  });
});
