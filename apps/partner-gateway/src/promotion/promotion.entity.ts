import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A partner's own discount. One at a time is active: that is its dedicated promotion. */
@Entity('promotion')
export class Promotion {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'bigint', insert: false, update: false })
  seq!: string;

  @Column({ name: 'partner_id', type: 'text' })
  partnerId!: string;

  /** What a customer types at the checkout, in any case. */
  @Column({ type: 'text' })
  code!: string;

  @Column({ name: 'percent_off', type: 'smallint' })
  percentOff!: number;

  @Column({ type: 'boolean' })
  active!: boolean;

  @Column({ name: 'deactivated_at', type: 'timestamptz', nullable: true })
  deactivatedAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
