import { Injectable, Logger } from '@nestjs/common';
import { InvalidTokenError, JwtVerifier } from '@tandem/auth';
import type { SubscriptionReceipt } from '@tandem/internal-api';
import { InvalidReceiptError } from './receipt.errors';
import { receiptOf } from './receipt.rules';

/** Verifies subscription receipt tokens (SRT). */
@Injectable()
export class ReceiptService {
  private readonly logger = new Logger('receipt');

  constructor(private readonly tokens: JwtVerifier) {}

  /**
   * Verifies the signature, `typ`, issuer, audience, expiry, subject and claims of all tokens. If one token is invalid, all are refused.
   *
   * @param krn the user to whom the tokens must belong
   * @throws InvalidReceiptError, JwksUnavailableError
   */
  verify(texts: readonly string[], krn: string): Promise<SubscriptionReceipt[]> {
    const now = new Date();
    return Promise.all(texts.map((text, index) => this.verifyOne(text, index, krn, now)));
  }

  private async verifyOne(text: string, index: number, krn: string, now: Date): Promise<SubscriptionReceipt> {
    try {
      const receipt = receiptOf(await this.tokens.verifyReceipt(text, now), krn, now);
      if (!receipt)
        throw new InvalidTokenError('The receipt belongs to another user, or a claim is missing or invalid');
      return receipt;
    } catch (cause) {
      if (!(cause instanceof InvalidTokenError)) throw cause;
      this.logger.log({ msg: 'a subscription receipt token was refused', index, reason: cause.message });
      throw new InvalidReceiptError(index, { cause });
    }
  }
}
