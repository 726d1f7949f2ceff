import { inRepository } from '@tandem/stack-client';

interface AppRow {
  readonly name: string;
  /** The database role. The app's schema has the same name. */
  readonly role: string;
  /** The paths that the edge routes to the app. */
  readonly routes?: readonly { readonly prefix: string }[];
  /** The apps that call this app. */
  readonly callers?: Readonly<Record<string, unknown>>;
}

interface AppTable {
  readonly APPS: readonly AppRow[];
  readonly OPERATOR: string;
  variableOf(app: string, suffix: 'PORT' | 'URL'): string;
}

/** The table of apps. It is plain JavaScript, so that the images and `npm start` can use it without a build. */
export const { APPS, OPERATOR, variableOf } = require(inRepository('apps/apps.js')) as AppTable;
