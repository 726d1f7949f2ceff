import type { MigrationInterface, QueryRunner } from 'typeorm';
import { APPEND_AS_PUBLISHER, PARTITIONS, PRUNE } from './restrict-bus/log-functions';
import {
  AUTHORIZE,
  HEARTBEAT_AS_MEMBER,
  LEAVE_AS_MEMBER,
  READ_PARTITIONS,
  RELEASE,
} from './restrict-bus/group-functions';

/**
 * Lets the apps' roles use the bus through functions only. Except `bus.prune`, these functions check the rights of the
 * role that logged in. The rights are the rows of `bus.role_publishes` and `bus.role_consumes`; only the owner can write
 * these tables, and `grantBus` fills them from the topology.
 */
export class RestrictBus1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE bus.role_publishes (
        role_name name NOT NULL,
        topic     text NOT NULL,
        PRIMARY KEY (role_name, topic)
      )`);
    await runner.query(`
      CREATE TABLE bus.role_consumes (
        role_name  name NOT NULL,
        group_name text NOT NULL,
        topic      text NOT NULL,
        PRIMARY KEY (role_name, group_name, topic)
      )`);
    // `bus.retention` has one row: for how many days the bus keeps events. The apps' inboxes must remember events for
    // longer.
    await runner.query(`
      CREATE TABLE bus.retention (
        only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        days     integer NOT NULL CHECK (days > 0)
      )`);
    await runner.query('INSERT INTO bus.retention (days) VALUES (7)');
    // Older installations have other versions of these functions.
    await runner.query('DROP FUNCTION IF EXISTS bus.append, bus.heartbeat, bus.leave_group');
    for (const statement of [AUTHORIZE, ...BUS_FUNCTIONS]) await runner.query(statement);
    await runner.query('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA bus FROM PUBLIC');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION bus.append, bus.partitions, bus.prune, bus.heartbeat, bus.read_partitions, bus.release,
      bus.leave_group, bus.authorize_group`);
    await runner.query('DROP TABLE bus.role_publishes, bus.role_consumes, bus.retention');
  }
}

const BUS_FUNCTIONS = [
  APPEND_AS_PUBLISHER,
  PARTITIONS,
  PRUNE,
  HEARTBEAT_AS_MEMBER,
  READ_PARTITIONS,
  RELEASE,
  LEAVE_AS_MEMBER,
];
