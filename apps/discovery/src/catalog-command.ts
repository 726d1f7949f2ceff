import 'reflect-metadata';
import { runCommand, terminal, USAGE, UsageError } from './catalog-import/import-command';
import { withCatalogImport } from './catalog-import/with-catalog-import';

/*
 * Imports or exports the catalog: `node dist/catalog-command.js import FILE | export [FILE]`, with the app's DATABASE_URL. The
 * app can keep running. `npm run discovery` calls this program.
 */
withCatalogImport((catalog) => runCommand(process.argv.slice(2), catalog, terminal)).catch((error: Error) => {
  const isUsage = error instanceof UsageError;
  process.stderr.write(isUsage ? `${error.message}\n\n${USAGE}` : `${error.message}\n`);
  process.exitCode = isUsage ? 2 : 1;
});
