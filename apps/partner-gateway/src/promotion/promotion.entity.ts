import { FlagField, IntegerField, TextField, TimeField } from '@tandem/http-api';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { PARTNER_ID } from '../partner/partner.dto';

/** A partner's own discount. A partner has at most one active promotion. Managers see all fields except `seq`. */
@Entity('promotion')
export class Promotion {
  @PrimaryColumn({ type: 'text' })
  @TextField({ example: 'prm_0f8fad5bd9cb469fa16570867728950e' })
  id!: string;

  /** A number that increases with each new promotion. Lists of promotions are sorted by this number. */
  @Column({ type: 'bigint', insert: false, update: false })
  seq!: string;

  @Column({ name: 'partner_id', type: 'text' })
  @TextField({ example: PARTNER_ID })
  partnerId!: string;

  /** The code that customers type at the checkout. It is compared without regard to case. */
  @Column({ type: 'text' })
  @TextField({ example: 'MYSHOP-20' })
  code!: string;

  @Column({ name: 'percent_off', type: 'smallint' })
  @IntegerField({ min: 1, max: 100, example: 20 })
  percentOff!: number;

  @Column({ type: 'boolean' })
  @FlagField()
  active!: boolean;

  @Column({ name: 'deactivated_at', type: 'timestamptz', nullable: true })
  @TimeField({ nullable: true })
  deactivatedAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  @TimeField()
  createdAt!: Date;
}
