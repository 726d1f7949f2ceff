import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { emailHash } from '@tandem/contracts';
import { PartnerGatewayConfig } from '../config';
import type { Applicant } from './application.dto';

/** Encrypts, decrypts and hashes the personal data of applicants. */
@Injectable()
export class Applicants {
  constructor(private readonly config: PartnerGatewayConfig) {}

  /**
   * Returns two columns of an application. One contains the applicant's data, encrypted and bound to the row with this id. The other
   * contains the hash of the e-mail address, by which other applications with the same address are found.
   */
  columnsOf(id: string, applicant: Applicant) {
    return {
      contactEncrypted: this.config.FIELD_ENCRYPTION_KEYS.encrypt(JSON.stringify(applicant), bindingOf(id)),
      emailHash: emailHash(applicant.email, this.config.EMAIL_HASH_KEY),
    };
  }

  read({ id, contactEncrypted }: { id: string; contactEncrypted: string }): Applicant {
    return JSON.parse(this.config.FIELD_ENCRYPTION_KEYS.decrypt(contactEncrypted, bindingOf(id))) as Applicant;
  }

  /**
   * Returns the key under which the rate limit counts the requests from an IPv4 address or an IPv6 network. The key is an HMAC, so the
   * address itself is not stored.
   */
  counted(address: string): string {
    return createHmac('sha256', this.config.EMAIL_HASH_KEY).update(`application from ${address}`).digest('hex');
  }
}

const bindingOf = (id: string): string => `partner_application:${id}:contact`;
