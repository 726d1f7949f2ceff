import type { DataSource } from 'typeorm';
import { PERSONAL_COLUMNS, type ProfileCipher, type StoredPersonalData } from './profile-cipher';

type Row = StoredPersonalData & { readonly krn: string };

/** Each batch is a short transaction, so that it does not delay requests. */
const BATCH = 100;

const COLUMNS = PERSONAL_COLUMNS.join(', ');
const IS_OLD = PERSONAL_COLUMNS.map((column) => `not starts_with(${column}, $1)`).join(' or ');
const FIND_OLD = `select krn, ${COLUMNS} from profile where krn > $2 and (${IS_OLD}) order by krn limit ${BATCH}`;

/** Updates only rows that are unchanged since they were read: a value that a request has written meanwhile stays. */
const RENEW = `
  update profile p set ${PERSONAL_COLUMNS.map((column) => `${column} = renewed.${column}`).join(', ')}
    from jsonb_populate_recordset(null::profile, $1::jsonb) as renewed
    join jsonb_populate_recordset(null::profile, $2::jsonb) as old using (krn)
   where p.krn = renewed.krn and ${PERSONAL_COLUMNS.map((column) => `p.${column} is not distinct from old.${column}`).join(' and ')}`;

/**
 * Re-encrypts, under the first key, all personal data that is encrypted under another key, while the app runs.
 *
 * @returns how many profiles were re-encrypted, without those that requests changed in the meantime
 */
export async function rotateKeys(dataSource: DataSource, cipher: ProfileCipher): Promise<number> {
  let rotated = 0;
  let last = '';
  for (;;) {
    const old: Row[] = await dataSource.query(FIND_OLD, [`${cipher.keyId}.`, last]);
    if (old.length === 0) return rotated;
    const renewed = old.map((row) => ({ ...row, ...renew(cipher, row) }));
    const [, count] = await dataSource.query<[unknown, number]>(RENEW, [JSON.stringify(renewed), JSON.stringify(old)]);
    rotated += count;
    last = (old.at(-1) as Row).krn;
  }
}

function renew(cipher: ProfileCipher, row: Row): StoredPersonalData {
  const values = PERSONAL_COLUMNS.map((column) => {
    const value = row[column];
    return [column, value === null ? null : cipher.renew(row.krn, column, value)];
  });
  return Object.fromEntries(values) as StoredPersonalData;
}
