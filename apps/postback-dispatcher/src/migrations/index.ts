import type { SchemaDefinition } from '@tandem/database';
import { MESSAGING_MIGRATIONS } from '@tandem/messaging';
import { CreatePostbackTables1732060900000 } from './1732060900000-create-postback-tables';
import { AddDeliveryLog1764100000000 } from './1764100000000-add-delivery-log';
import { AddPartnerLimits1764200000000 } from './1764200000000-add-partner-limits';
import { OwnShards1764300000000 } from './1764300000000-own-shards';
import { AddDeliveryReference1764600000000 } from './1764600000000-add-delivery-reference';
import { AddSaleClosing1764700000000 } from './1764700000000-add-sale-closing';
import { AddClosingTime1767000000000 } from './1767000000000-add-closing-time';
import { IndexSalesByAge1767000102000 } from './1767000102000-index-sales-by-age';
import { CreateDeliveryStatistics1769000000000 } from './1769000000000-create-delivery-statistics';
import { AddClosureNotices1769000120000 } from './1769000120000-add-closure-notices';
import { IndexStartOfReferences1769200000000 } from './1769200000000-index-start-of-references';
import { DropIndexOfWholeReferences1769200060000 } from './1769200060000-drop-index-of-whole-references';
import { IndexFailingDeliveries1769400000000 } from './1769400000000-index-failing-deliveries';

/** The schema of this app, which the migrate step creates and updates. */
export const SCHEMA: SchemaDefinition = {
  schema: 'postback',
  maintenance: true, // creates and drops time partitions
  migrations: [
    ...MESSAGING_MIGRATIONS,
    CreatePostbackTables1732060900000,
    AddDeliveryLog1764100000000,
    AddPartnerLimits1764200000000,
    OwnShards1764300000000,
    AddDeliveryReference1764600000000,
    AddSaleClosing1764700000000,
    AddClosingTime1767000000000,
    IndexSalesByAge1767000102000,
    CreateDeliveryStatistics1769000000000,
    AddClosureNotices1769000120000,
    IndexStartOfReferences1769200000000,
    DropIndexOfWholeReferences1769200060000,
    IndexFailingDeliveries1769400000000,
  ],
};
