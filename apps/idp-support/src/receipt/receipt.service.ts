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
   * The tokens are verified one after the other, so that at most one token of a request waits for the keys: a token that is signed with
   * an unknown key waits until the keys are read again, and JwtVerifier limits how many tokens of all requests wait.
   *
   * @param krn the user to whom the tokens must belong
   * @throws InvalidReceiptError when a token is invalid or belongs to another user
   * @throws JwksUnavailableError when the issuer's keys cannot be read, or when too many tokens wait for the keys
   */
  async verify(texts: readonly string[], krn: string): Promise<SubscriptionReceipt[]> {
    const now = new Date();
    const receipts: SubscriptionReceipt[] = [];
    for (const [index, text] of texts.entries()) receipts.push(await this.verifyOne(text, index, krn, now));
    return receipts;
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
