import { FieldDecryptionError } from '@tandem/database';
import type { DataSource } from 'typeorm';
import { HASH_COLUMNS, type ProfileHashes, type StoredHashes } from './profile-hashes';
import { PERSONAL_COLUMNS, type ProfileCipher, type StoredPersonalData } from './profile-cipher';

type Row = StoredPersonalData & StoredHashes & { readonly krn: string };

interface Renewal {
  readonly old: Row;
  readonly renewed: Row;
}

/** Called for each profile that cannot be decrypted. The error contains no personal data. */
type Skipped = (krn: string, error: FieldDecryptionError) => void;

/** The currently configured keys. */
export interface ProfileKeys {
  readonly cipher: ProfileCipher;
  readonly hashes: ProfileHashes;
}

/** How many profiles are read at a time. One statement renews at most this many. */
const BATCH = 100;

const COLUMNS = [...PERSONAL_COLUMNS, ...HASH_COLUMNS];
const FIND = `select krn, ${COLUMNS.join(', ')} from profile where krn > $1 order by krn limit ${BATCH}`;

/**
 * Updates a row only if its personal data has not changed since the row was read. A value that a request has written in the meantime is thus
 * not overwritten.
 */
const RENEW = `
  update profile p set ${COLUMNS.map((column) => `${column} = renewed.${column}`).join(', ')}
    from jsonb_populate_recordset(null::profile, $1::jsonb) as renewed
    join jsonb_populate_recordset(null::profile, $2::jsonb) as old using (krn)
   where p.krn = renewed.krn and ${PERSONAL_COLUMNS.map((column) => `p.${column} is not distinct from old.${column}`).join(' and ')}`;

/**
 * Re-encrypts, with the first key, all personal data that was encrypted with another key. Rewrites hashes that do not match the current key
 * and data, or are missing because an older release of the app stored the profile. The app can keep running.
 *
 * @param skipped is called for each profile that is not renewed because it cannot be decrypted
 * @returns how many profiles were renewed, not counting profiles that requests changed in the meantime
 */
export async function rotateKeys(dataSource: DataSource, keys: ProfileKeys, skipped: Skipped): Promise<number> {
  let rotated = 0;
  let last = '';
  for (;;) {
    const rows: Row[] = await dataSource.query(FIND, [last]);
    const end = rows.at(-1);
    if (!end) return rotated;
    rotated += await renewAll(dataSource, renewalsOf(rows, keys, skipped));
    last = end.krn;
  }
}

/** Returns the rows that are not up to date, with their new values. */
function renewalsOf(rows: readonly Row[], { cipher, hashes }: ProfileKeys, skipped: Skipped): Renewal[] {
  return rows.flatMap((old) => {
    try {
      const hashed = hashes.of(cipher.decrypt(old.krn, old));
      const isHashed = HASH_COLUMNS.every((column) => old[column] === hashed[column]);
      if (isHashed && isEncrypted(cipher, old)) return [];
      return [{ old, renewed: { ...old, ...renew(cipher, old), ...hashed } }];
    } catch (error) {
      if (!(error instanceof FieldDecryptionError)) throw error;
      skipped(old.krn, error);
      return [];
    }
  });
}

async function renewAll(dataSource: DataSource, renewals: readonly Renewal[]): Promise<number> {
  if (renewals.length === 0) return 0;
  const [, count] = await dataSource.query<[unknown, number]>(RENEW, [
    JSON.stringify(renewals.map(({ renewed }) => renewed)),
    JSON.stringify(renewals.map(({ old }) => old)),
  ]);
  return count;
}

const isEncrypted = (cipher: ProfileCipher, row: Row): boolean =>
  PERSONAL_COLUMNS.every((column) => row[column]?.startsWith(`${cipher.keyId}.`) ?? true);

function renew(cipher: ProfileCipher, row: Row): StoredPersonalData {
  const values = PERSONAL_COLUMNS.map((column) => {
    const value = row[column];
    return [column, value === null ? null : cipher.renew(row.krn, column, value)];
  });
  return Object.fromEntries(values) as StoredPersonalData;
}
