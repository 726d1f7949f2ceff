import { readFileSync } from 'node:fs';
import path from 'node:path';
import { InstalledPackage, MAX_BYTES } from '../../../sdks/typescript/testing/installed-package';
import { API_VERSION } from '../src/version';

const ROOT = path.resolve(__dirname, '../../..');
/** Names of globals that React Native does not have, or implements only in part. */
const MISSING_THERE =
  /\b(?:URLSearchParams|structuredClone|crypto|Buffer|process|DOMException|AbortSignal\.(?:any|timeout)|Object\.hasOwn)\b|\.throwIfAborted/;

describe('@tandem/identity', () => {
  const sdk = new InstalledPackage('identity-sdk');
  beforeAll(() => sdk.install());
  afterAll(() => sdk.remove());

  const WORK = `
    const identity = new Identity({ token: () => 't', baseUrl: 'https://api.example.com', fetch: async () => Response.json({ userAlerts: [] }) });
    identity.alerts.list().then((alerts) => console.log(alerts.length, new NotFoundError('x', { code: 'y' }).name));`;

  it('can be imported by an ES module and required by a CommonJS module', () => {
    const names = '{ Identity, NotFoundError }';
    expect(sdk.outputOf('a.mjs', `import ${names} from '@tandem/identity';${WORK}`)).toBe('0 NotFoundError');
    expect(sdk.outputOf('b.cjs', `const ${names} = require('@tandem/identity');${WORK}`)).toBe('0 NotFoundError');
  });

  const TEXT = `
    import { type AlertDetails, Identity, type IdentityError, type LockError } from '@tandem/identity';
    const identity = new Identity({ token: async () => 't', baseUrl: 'https://api.example.com' });
    export async function use(): Promise<string | undefined> {
      const { userAlerts, creditScoreHistory } = await identity.dashboard({ count: 10 });
      const [alert] = userAlerts.ok ? userAlerts.value.userAlerts : [];
      // @ts-expect-error: there is no value without ok
      creditScoreHistory.value;
      const details: AlertDetails['tui'] = await identity.alerts.details('tui', alert?.alertId ?? 1);
      // @ts-expect-error: the details of TransUnion have another form
      details.alertInfo;
      const one = alert && (await identity.alerts.details(alert.bureau, alert.alertId));
      if (one && 'alertInfo' in one) return one.alertInfo.summary;
      await identity.profile.create({ firstName: 'a', lastName: 'b', dob: 'c', emailAddress: 'd', address: { street: 'e', city: 'f', state: 'g', zip: 'h' } });
      return details.creditAlert.heading;
    }
    export const wait = (error: LockError): number => (error.code === 'AttemptsTooEarly' ? error.retryAfterSeconds : error.maxAllowed);
    // @ts-expect-error: only MaximumAttemptsReachedError has maxAllowed
    export const wrong = (error: IdentityError): number => error.maxAllowed;`;

  it.each([
    ['Node', ['c.mts', 'd.cts'], ['--lib', 'es2022,dom', '--module', 'node16']],
    ['a bundler', ['e.ts'], ['--lib', 'es2022,dom', '--module', 'esnext', '--moduleResolution', 'bundler']],
  ])('has strict types for %s: unions of sections, of locks and of details', (_name, files, options) => {
    sdk.compile(files, TEXT, options);
  });

  it('has samples that compile with strict types, in the README and in the guide for client apps', () => {
    const declared = `
      declare const auth: Record<'renew' | 'accessToken' | 'confirm', (acrValues?: string) => Promise<string>>;
      declare const form: import('@tandem/identity').NewProfile;
      declare const show: (value: unknown) => void;
      declare const showAlerts: typeof show, showHint: typeof show, showWait: typeof show, showSupport: typeof show;
    `;
    const samples = ['libs/identity-sdk/README.md', 'docs/client-guide.md'].flatMap((page) =>
      [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, text = '']) => text),
    );
    expect(samples).toHaveLength(2);
    const options = ['--lib', 'es2022,dom', '--module', 'esnext', '--moduleResolution', 'bundler'];
    for (const sample of samples) sdk.compile(['sample.ts'], declared + sample, options);
  });

  it('imports nothing, and uses nothing that React Native does not have', () => {
    expect(sdk.imports()).toEqual([]);
    expect(sdk.manifest.dependencies).toBeUndefined();
    const scripts = sdk.scripts();
    expect(scripts.length).toBeGreaterThan(8);
    for (const text of scripts) expect(text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')).not.toMatch(MISSING_THERE);
  });

  it(`is at most ${MAX_BYTES} bytes, minified`, () => {
    const size = sdk.size();
    expect(size).toBeGreaterThan(5000);
    expect(size).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('names the last release of the API', () => {
    const file = path.join(ROOT, 'docs/openapi/released/client-api.json');
    expect(API_VERSION).toBe((JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version);
  });
});
