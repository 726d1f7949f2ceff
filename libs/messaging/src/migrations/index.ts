import type { MigrationClass } from '@tandem/database';
import { CreateMessagingTables1732060800000 } from './1732060800000-create-messaging-tables';
import { AddDeadLetterRaw1732060800002 } from './1732060800002-add-dead-letter-raw';
import { IndexOutboxByTopic1764300000000 } from './1764300000000-index-outbox-by-topic';
import { IndexDeadLetters1766000000000 } from './1766000000000-index-dead-letters';
import { IndexRowsByAge1767000100000 } from './1767000100000-index-rows-by-age';
import { HashOutboxKeys1768000000001 } from './1768000000001-hash-outbox-keys';
import { DropEntityVersion1768200000000 } from './1768200000000-drop-entity-version';
import { IndexDeadLettersByKey1768700000000 } from './1768700000000-index-dead-letters-by-key';

/**
 * The migrations of the tables of an app with events (outbox, inbox, dead_letter). An app adds them to the migrations of
 * its own schema.
 */
export const MESSAGING_MIGRATIONS: readonly MigrationClass[] = [
  CreateMessagingTables1732060800000,
  AddDeadLetterRaw1732060800002,
  IndexOutboxByTopic1764300000000,
  IndexDeadLetters1766000000000,
  IndexRowsByAge1767000100000,
  HashOutboxKeys1768000000001,
  DropEntityVersion1768200000000,
  IndexDeadLettersByKey1768700000000,
];
