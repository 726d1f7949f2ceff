import { EnumField, TextField, TimeField } from '@tandem/http-api';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { PARTNER_ID } from '../partner/partner.dto';
import { PARTNER_KINDS, type PartnerKind } from '../partner/partner.entity';

export const APPLICATION_STATUSES = ['pending', 'approved', 'rejected'] as const;
export type ApplicationStatus = (typeof APPLICATION_STATUSES)[number];

/** An application to become a partner. Managers see the properties that have a field decorator, and the decrypted contact data. */
@Entity('partner_application')
export class PartnerApplication {
  @PrimaryColumn({ type: 'text' })
  @TextField({ example: 'pap_2b1f0c9d8e7a4b6c9d0e1f2a3b4c5d6e' })
  id!: string;

  @Column({ type: 'bigint', insert: false, update: false })
  seq!: string;

  @Column({ type: 'text' })
  @EnumField(APPLICATION_STATUSES, { example: 'pending' })
  status!: ApplicationStatus;

  @Column({ type: 'text' })
  @EnumField(PARTNER_KINDS)
  kind!: PartnerKind;

  @Column({ name: 'company_name', type: 'text' })
  @TextField({ example: 'My shop' })
  companyName!: string;

  @Column({ type: 'text', nullable: true })
  @TextField({ nullable: true, format: 'uri', example: 'https://shop.example.com' })
  website!: string | null;

  /** The contact's name, e-mail address and message as JSON, encrypted and bound to the row. */
  @Column({ name: 'contact_encrypted', type: 'text' })
  contactEncrypted!: string;

  /** The hash of the e-mail address. An address has at most one pending application. */
  @Column({ name: 'email_hash', type: 'text' })
  emailHash!: string;

  @Column({ name: 'partner_id', type: 'text', nullable: true })
  @TextField({
    nullable: true,
    example: PARTNER_ID,
    description: 'The partner that the approval created. Null unless approved',
  })
  partnerId!: string | null;

  @Column({ name: 'decision_note', type: 'text', nullable: true })
  @TextField({ nullable: true, description: 'The reason for the rejection, if the manager gave one' })
  note!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  @TimeField()
  createdAt!: Date;

  @Column({ name: 'decided_at', type: 'timestamptz', nullable: true })
  @TimeField({ nullable: true, description: 'Null while the application is pending' })
  decidedAt!: Date | null;

  /** When the application was received or, once it is decided, when it was decided. The retention period starts at this time. */
  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
