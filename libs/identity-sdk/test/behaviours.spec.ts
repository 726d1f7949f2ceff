import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Behaviour, checkBehaviour, readCases, type TestedSdk } from '../../../sdks/typescript/testing/behaviours';
import { Identity, TandemError } from '../src';

const token = 'access-token';
const BEHAVIOURS = ['identity-calls', 'identity-errors'].flatMap((name) => readCases(name) as Behaviour[]);

const SDK: TestedSdk = {
  token,
  headers: { accept: 'application/json' },
  TandemError,
  create: (options, pace) => new Identity({ token: () => token, ...options }, pace),
};

describe('the client of the identity API', () => {
  it.each(BEHAVIOURS.map((behaviour) => [behaviour.name, behaviour] as const))('%s', (_name, behaviour) =>
    checkBehaviour(behaviour, SDK),
  );

  it('has a method for each operation of the document', () => {
    const file = path.resolve(__dirname, '../../../docs/openapi/client-api.json');
    const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, object> };
    const operations = Object.entries(paths).flatMap(([at, methods]) =>
      Object.keys(methods).map((method) => ({
        name: `${method.toUpperCase()} ${at}`,
        pattern: new RegExp(`^${method.toUpperCase()} ${at.replace(/\{\w+\}/g, '[^/]+')}$`),
      })),
    );
    const sent = BEHAVIOURS.flatMap(({ requests }) => requests).map((request) => `${request.method} ${request.path}`);
    const missing = operations.filter(({ pattern }) => !sent.some((request) => pattern.test(request)));
    expect([operations.length, missing.map(({ name }) => name)]).toEqual([27, []]);
  });
});
