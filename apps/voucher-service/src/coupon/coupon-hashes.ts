import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, EntityManager } from 'typeorm';
import { VoucherServiceConfig } from '../config';
import { codeHash } from './coupon-code';
import { CouponRepository } from './coupon.repository';

const CHUNK = 2_000;

/**
 * Adds the hashes of codes to coupons that an older version of the app created without hashes. Payments identify coupons by these hashes,
 * so the app adds the hashes when it starts, before it consumes events. Each chunk of coupons is a transaction of its own. After an
 * interruption, the next start therefore continues with the coupons that still have no hash.
 */
@Injectable()
export class CouponHashes implements OnModuleInit {
  private readonly logger = new Logger(CouponHashes.name);
  private readonly key: Buffer;

  constructor(
    config: VoucherServiceConfig,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly coupons: CouponRepository,
  ) {
    this.key = config.COUPON_HASH_KEY;
  }

  async onModuleInit(): Promise<void> {
    let filled = 0;
    let chunk: number;
    do {
      chunk = await this.dataSource.transaction((manager) => this.fillChunk(manager));
      filled += chunk;
    } while (chunk === CHUNK);
    if (filled > 0) this.logger.log({ msg: 'coupon hashes added', coupons: filled });
  }

  private async fillChunk(manager: EntityManager): Promise<number> {
    const rows = await this.coupons.lockWithoutHash(manager, CHUNK);
    if (rows.length > 0) {
      await this.coupons.setHashes(
        manager,
        rows.map(({ code, ...row }) => ({ ...row, hash: codeHash(code, this.key) })),
      );
    }
    return rows.length;
  }
}
