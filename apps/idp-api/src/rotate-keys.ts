import 'reflect-metadata';
import { createDataSource } from '@tandem/database';
import { loadConfig } from '@tandem/service-defaults';
import { IdpApiConfig } from './config';
import { rotateKeys } from './profile/key-rotation';
import { ProfileCipher } from './profile/profile-cipher';

/*
 * Encrypts all personal data under the first of FIELD_ENCRYPTION_KEYS: `node dist/rotate-keys.js` with the environment of the app, while
 * the app runs. Afterwards the other keys can be removed.
 */
async function main(): Promise<void> {
  const config = loadConfig(IdpApiConfig, process.env);
  const dataSource = createDataSource({
    url: config.DATABASE_URL,
    applicationName: 'idp-api key rotation',
    poolMax: 1,
  });
  await dataSource.initialize();
  try {
    const profiles = await rotateKeys(dataSource, new ProfileCipher(config));
    process.stdout.write(`${profiles} profiles are encrypted anew\n`);
  } finally {
    await dataSource.destroy();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
});
