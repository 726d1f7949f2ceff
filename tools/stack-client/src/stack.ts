import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../../..');

/** `stack.json`: the addresses, tokens and secrets of a running stack, as `npm start` and `npm run stack:info` write them. */
export interface Stack {
  readonly baseUrl: string;
  /** The apps by name. */
  readonly apps: Readonly<Record<string, { readonly url: string }>>;
  readonly partners: {
    readonly promotion: { readonly token: string; readonly testToken: string; readonly promotionCode: string };
    readonly voucher: { readonly token: string; readonly voucherGroupId: string };
    readonly manager: { readonly token: string };
  };
  readonly support: { readonly token: string };
  readonly operator: { readonly privateKey: string };
  readonly webhooks: {
    readonly payments: { readonly secret: string };
    readonly array: { readonly secret: string; readonly appKey: string };
  };
  /** The URLs of the sandbox. `endpoints` is the address of the sandbox's inbox as the platform reaches it. */
  readonly sandbox: {
    readonly inbox: string;
    readonly endpoints: string;
    readonly store: string;
    readonly vendor: string;
    readonly issuer: string;
  };
  readonly postgres: { readonly url: string };
  readonly kafka?: { readonly brokers: string };
  readonly eventBus: string;
}

/** Returns a path in the stack's folder, which has its data, logs and secrets. */
export const inHome = (...parts: string[]): string =>
  path.join(path.resolve(ROOT, process.env.TANDEM_DIR || '.tandem'), ...parts);

/** Returns a path in the repository. */
export const inRepository = (...parts: string[]): string => path.join(ROOT, ...parts);

/** Reads the description of the stack that runs on this machine. @throws Error when no stack is described */
export function readStack(): Stack {
  const stack = findStack();
  if (!stack) {
    throw new Error(
      'no stack runs here: start one with npm start, or describe one in containers with npm run stack:info',
    );
  }
  return stack;
}

/** Reads the description of the stack that runs on this machine; undefined when no stack is described. */
export function findStack(): Stack | undefined {
  const file = inHome('stack.json');
  return existsSync(file) ? parseStack(file) : undefined;
}

/** Reads the description of a stack from a file. */
export const parseStack = (file: string): Stack => JSON.parse(readFileSync(file, 'utf8')) as Stack;
