import 'reflect-metadata';
import { createDataSource } from '@tandem/database';
import { loadConfig } from '@tandem/service-defaults';
import { IdpApiConfig } from './config';
import { rotateKeys } from './profile/key-rotation';
import { ProfileCipher } from './profile/profile-cipher';
import { ProfileHashes } from './profile/profile-hashes';

/*
 * Encrypts all personal data with the first of FIELD_ENCRYPTION_KEYS, and hashes e-mail addresses and phone numbers with PROFILE_HASH_KEY
 * where the hash is missing or stale. Run `node dist/rotate-keys.js` with the environment of the app; the app can keep running. If the command
 * exits with 0, the other encryption keys can be removed. If it exits with 1, keep these keys: the command has printed the KRN of each profile
 * that it could not decrypt.
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
    const keys = { cipher: new ProfileCipher(config), hashes: new ProfileHashes(config) };
    let skipped = 0;
    const profiles = await rotateKeys(dataSource, keys, (krn, error) => {
      skipped++;
      process.stderr.write(`${krn}: ${error.message}\n`);
    });
    process.stdout.write(`${profiles} profiles were renewed\n`);
    if (skipped > 0) throw new Error(`${skipped} profiles were not renewed`);
  } finally {
    await dataSource.destroy();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
});
