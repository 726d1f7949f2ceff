import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { emailHash } from '@tandem/contracts';
import { PartnerGatewayConfig } from '../config';
import type { Applicant } from './application.dto';

/** The stored forms of what identifies an applicant. */
@Injectable()
export class Applicants {
  constructor(private readonly config: PartnerGatewayConfig) {}

  /** The two columns: who applies, encrypted and bound to the row, and a hash by which a second application of the address is found. */
  columnsOf(id: string, applicant: Applicant) {
    return {
      contactEncrypted: this.config.FIELD_ENCRYPTION_KEYS.encrypt(JSON.stringify(applicant), bindingOf(id)),
      emailHash: emailHash(applicant.email, this.config.EMAIL_HASH_KEY),
    };
  }

  read({ id, contactEncrypted }: { id: string; contactEncrypted: string }): Applicant {
    return JSON.parse(this.config.FIELD_ENCRYPTION_KEYS.decrypt(contactEncrypted, bindingOf(id))) as Applicant;
  }

  /** The name under which requests from an address are counted: the address itself is stored nowhere. */
  counted(address: string): string {
    return createHmac('sha256', this.config.EMAIL_HASH_KEY).update(`application from ${address}`).digest('hex');
  }
}

const bindingOf = (id: string): string => `partner_application:${id}:contact`;
