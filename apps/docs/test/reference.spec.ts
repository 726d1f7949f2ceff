import { readFileSync } from 'node:fs';
import path from 'node:path';
import { APIS } from '../src/apis';
import { endpointsOf, type OpenApi } from '../src/openapi';
import { referencePage } from '../src/reference';
import { sdkSamples } from '../src/sdk-samples';

const ROOT = path.resolve(__dirname, '../../..');
const SAMPLES = path.join(ROOT, 'apps/docs/samples');
const sdk = sdkSamples(SAMPLES);
const trimmed = (line: string): string => line.trim();
const documentOf = (file: string): OpenApi =>
  JSON.parse(readFileSync(path.join(ROOT, 'docs/openapi', file), 'utf8')) as OpenApi;

/** The number of operations with SDK samples: those of all calls in the README of the TypeScript SDK, except `postback.listen`. */
const SDK_OPERATIONS = 17;

describe.each(APIS)('the reference of $title', (api) => {
  const document = documentOf(api.file);
  const page = referencePage(api, document, api.name === 'partner' ? sdk : new Map());
  const sectionOf = (operationId: string): string => {
    const [, section = ''] = page.split(`{#${operationId}}`);
    return section.split('\n### ')[0] as string;
  };

  it('has each operation once', () => {
    const ids = [...page.matchAll(/^### .* \{#(\w+)\}$/gm)].map(([, id]) => id as string);
    const webhooks = Object.values(document.webhooks ?? {}).flatMap((methods) => Object.values(methods));
    const expected = [...endpointsOf(document).map(({ operation }) => operation), ...webhooks];
    expect(ids.sort()).toEqual(expected.map(({ operationId }) => operationId).sort());
  });

  it('has samples of each operation in TypeScript, Python and curl', () => {
    for (const { operation, path: address } of endpointsOf(document)) {
      const section = sectionOf(operation.operationId);
      for (const language of ['ts [TypeScript]', 'python [Python]', 'sh [curl]']) {
        const [, sample = ''] = section.split(`\`\`\`\`${language}\n`);
        expect([operation.operationId, language, sample.length > 20]).toEqual([operation.operationId, language, true]);
        expect(sample.split('````')[0]).not.toMatch(/undefined|\{[a-z_]+\}\?|\[object/i);
      }
      expect(section).toContain(`\`${address}\``);
    }
  });

  it('names only error codes that answers contain', () => {
    const text = JSON.stringify(document);
    const codes = new Set([...page.matchAll(/^- \*\*[45]\d\d\*\* `([^`]+)`:/gm)].map(([, code]) => code as string));
    const inAnswers = (code: string): boolean =>
      [`"code":"${code}"`, `"BadRequest":{"${code}":`].some((part) => text.includes(part));
    expect([...codes].filter((code) => !inAnswers(code))).toEqual([]);
    expect(page).toMatch(/^- \*\*401\*\*/m);
  });
});

describe('the samples that use an SDK', () => {
  const document = documentOf('partner-api.json');
  const known = new Set(endpointsOf(document).map(({ operation }) => operation.operationId));

  it('exist in both languages, and only for operations of the API', () => {
    expect([...sdk.keys()].filter((name) => !known.has(name))).toEqual([]);
    expect(sdk.size).toBe(SDK_OPERATIONS);
    for (const [name, { typescript, python }] of sdk) {
      expect([name, typescript]).toEqual([name, expect.stringMatching(/^import \{ Tandem \}[^]*tandem\./)]);
      expect([name, python]).toEqual([name, expect.stringMatching(/^import os[^]*tandem\./)]);
      expect(python).not.toContain('undefined');
    }
  });

  it('in TypeScript contain only lines that the compiler has checked', () => {
    const checked = new Set(readFileSync(path.join(SAMPLES, 'partner.ts'), 'utf8').split('\n').map(trimmed));
    const shown = [...sdk.values()].flatMap(({ typescript }) => typescript.split('\n').map(trimmed));
    expect(shown.filter((line) => !checked.has(line))).toEqual([]);
  });
});
