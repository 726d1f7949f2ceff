import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ENCRYPTION_KEY, HASH_KEY, Idp, type TestUser } from './idp';
import { ProfileRepository } from '../src/profile/profile.repository';

const NEW_KEY = `k2:${randomBytes(32).toString('base64')}`;
const ROOT = path.resolve(__dirname, '../../..');

describe('a rotation of the encryption keys', () => {
  let idp: Idp;
  beforeAll(async () => {
    idp = await Idp.start({
      env: {
        FIELD_ENCRYPTION_KEYS: ENCRYPTION_KEY,
        RATE_LIMIT_CLIENT_PER_MINUTE: '10000',
        RATE_LIMIT_ONBOARDING_PER_MINUTE: '1000',
      },
    });
  });
  afterAll(() => idp.stop());

  const keyIds = async (): Promise<string[]> => {
    const rows = await idp.database.query<{ id: string }>(
      `select distinct split_part(v.value, '.', 1) as id from idp.profile p,
         lateral (values (first_name), (last_name), (dob), (email_address), (address), (phone_number), (ssn)) as v (value)
        where v.value is not null order by 1`,
    );
    return rows.map(({ id }) => id);
  };

  const rotate = (keys: string, hashKey = HASH_KEY) =>
    promisify(execFile)(
      process.execPath,
      ['--conditions=@tandem/source', '--require', '@swc-node/register', path.join(__dirname, '../src/rotate-keys.ts')],
      {
        env: {
          ...process.env,
          SWC_NODE_PROJECT: path.join(ROOT, 'tsconfig.base.json'),
          ...idp.environment,
          FIELD_ENCRYPTION_KEYS: keys,
          PROFILE_HASH_KEY: hashKey,
        },
      },
    );

  it('makes no concurrent request fail, and leaves no data that needs the old key [idp-user.key-rotation]', async () => {
    const users: TestUser[] = [];
    for (let index = 0; index < 30; index++) users.push(await idp.createUser(index % 2 ? { ssn: null } : {}));
    expect(await keyIds()).toEqual(['k1']);
    await idp.restart({ FIELD_ENCRYPTION_KEYS: `${NEW_KEY},${ENCRYPTION_KEY}` });

    let rotating = true;
    const failures: unknown[] = [];
    const requests = users.slice(0, 5).map(async (user, number) => {
      for (let index = 0; rotating; index++) {
        const { status, text } = await idp.request('PATCH', '/me', user, {
          emailAddress: `u${number}.${index}@mail.test`,
        });
        if (status !== 200) failures.push(text);
      }
    });
    const { stdout } = await rotate(`${NEW_KEY},${ENCRYPTION_KEY}`).finally(() => (rotating = false));
    await Promise.all(requests);
    expect([failures, await keyIds()]).toEqual([[], ['k2']]);
    expect(Number.parseInt(stdout, 10)).toBeGreaterThanOrEqual(25);

    await idp.restart({ FIELD_ENCRYPTION_KEYS: NEW_KEY });
    const profiles = idp.running.nest.get(ProfileRepository);
    for (const { krn } of users) expect(await profiles.findPersonalData(krn)).toMatchObject({ firstName: 'Johanna' });
    expect((await rotate(NEW_KEY)).stdout).toBe('0 profiles were renewed\n');
  });

  it('rewrites hashes that are missing, or that were created from previous data or with another key [support-search.backfill]', async () => {
    const users = [await idp.createUser(), await idp.createUser(), await idp.createUser({ phoneNumber: null })];
    const krns = users.map(({ krn }) => krn);
    const hashes = () =>
      idp.database.query('select email_hash, phone_hash from idp.profile where krn = any ($1) order by krn', [krns]);
    const written = await hashes();
    await idp.database.query('update idp.profile set email_hash = null, phone_hash = null where krn = $1', [krns[0]]);
    await idp.database.query(`update idp.profile set email_hash = 'of another address' where krn = $1`, [krns[1]]);
    expect((await rotate(NEW_KEY)).stdout).toBe('2 profiles were renewed\n');
    expect(await hashes()).toEqual(written);
    expect((await rotate(NEW_KEY, randomBytes(32).toString('base64'))).stdout).toMatch(
      /^[1-9]\d* profiles were renewed\n$/,
    );
    expect(await hashes()).not.toEqual(written);
    expect((await rotate(NEW_KEY)).stdout).toMatch(/^[1-9]\d* profiles were renewed\n$/);
    expect(await hashes()).toEqual(written);
  });

  it('exits with 1 and names a profile that it cannot decrypt, but renews all other profiles [idp-user.key-rotation]', async () => {
    const users = [await idp.createUser(), await idp.createUser(), await idp.createUser()];
    const broken = users.map(({ krn }) => krn).sort()[0] as string;
    const others = users.map(({ krn }) => krn).filter((krn) => krn !== broken);
    await idp.database.query(
      `update idp.profile set dob = (select dob from idp.profile where krn = $2), email_hash = null where krn = $1`,
      [broken, others[0]],
    );
    await idp.database.query('update idp.profile set email_hash = null where krn = any ($1)', [others]);
    await expect(rotate(`${NEW_KEY},${ENCRYPTION_KEY}`)).rejects.toMatchObject({
      code: 1,
      stdout: '2 profiles were renewed\n',
      stderr: `${broken}: the stored value does not belong to this row, or was changed\n1 profiles were not renewed\n`,
    });
    const left = await idp.database.query('select krn from idp.profile where email_hash is null');
    expect(left).toEqual([{ krn: broken }]);
  });
});
