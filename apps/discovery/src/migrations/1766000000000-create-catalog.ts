import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateCatalog1766000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table location (
        id text primary key check (id ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
        name text not null check (length(name) between 1 and 100),
        latitude double precision not null check (latitude between -90 and 90),
        longitude double precision not null check (longitude between -180 and 180),
        country_code text not null check (country_code ~ '^[A-Z]{2}$'),
        instance_count_min integer not null check (instance_count_min >= 0),
        instance_count_max integer not null check (instance_count_max >= instance_count_min),
        is_geolocated boolean not null,
        popularity_order integer not null check (popularity_order >= 1)
      )`);
    await runner.query(`
      create table location_test_ip (
        location_id text not null references location (id) on delete cascade,
        position integer not null check (position >= 1),
        ip inet not null check (ip = host(ip)::inet),
        primary key (location_id, position)
      )`);
    // The best endpoint for a client has the lowest preference.
    await runner.query(`
      create table endpoint (
        location_id text not null references location (id) on delete cascade,
        preference integer not null check (preference >= 1),
        type text not null check (type in ('lightway', 'openvpn', 'wireguard', 'proxy')),
        host text not null check (length(host) between 1 and 253),
        ip_v4 inet not null check (family(ip_v4) = 4 and ip_v4 = host(ip_v4)::inet),
        ip_v6 inet check (family(ip_v6) = 6 and ip_v6 = host(ip_v6)::inet),
        port integer not null check (port between 1 and 65535),
        transport text not null check (transport in ('udp', 'tcp')),
        mtu integer check (mtu between 576 and 9000),
        cert_dn text not null check (length(cert_dn) between 1 and 256),
        auth_ip inet check (auth_ip = host(auth_ip)::inet),
        auth_port integer check (auth_port between 1 and 65535),
        obfuscation text check (obfuscation ~ '^[a-z0-9-]{1,32}$'),
        primary key (location_id, type, host, port, transport)
      )`);
    await createVersion(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table catalog_version, endpoint, location_test_ip, location`);
    await runner.query(`drop function renew_catalog_version`);
  }
}

/**
 * Creates the version that replicas poll. Each change of one of the three catalog tables, by an import or by hand, renews the version in
 * the same transaction. The version is random, not a counter: after the database was restored to an earlier state, the next change creates
 * a version that no replica has seen.
 */
async function createVersion(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table catalog_version (
      is_only boolean primary key default true check (is_only),
      version uuid not null default gen_random_uuid(),
      changed_at timestamptz not null default clock_timestamp()
    )`);
  await runner.query(`insert into catalog_version default values`);
  await runner.query(`
    create function renew_catalog_version() returns trigger language plpgsql as $$
    begin
      execute format('update %I.catalog_version set version = gen_random_uuid(), changed_at = clock_timestamp()', tg_table_schema);
      return null;
    end $$`);
  for (const table of ['location', 'location_test_ip', 'endpoint']) {
    await runner.query(`
      create trigger renew_catalog_version after insert or update or delete or truncate on ${table}
      for each statement execute function renew_catalog_version()`);
  }
}
