import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { PartnerGatewayConfig } from '../config';
import { TokenRepository } from './token.repository';

/**
 * Keeps `lastUsedAt` of tokens up to date without a write per request: the times are collected in memory and written together. A crash
 * loses the times that are not written yet, which is acceptable because these times are only shown to managers.
 */
@Injectable()
export class TokenUseRecorder implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(TokenUseRecorder.name);
  private uses = new Map<string, Date>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly tokens: TokenRepository,
    private readonly config: PartnerGatewayConfig,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.writing = this.write();
    }, this.config.TOKEN_USE_FLUSH_SECONDS * 1000);
    this.timer.unref();
  }

  record(tokenId: string, at: Date): void {
    this.uses.set(tokenId, at);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.writing;
    await this.write();
  }

  private async write(): Promise<void> {
    if (this.uses.size === 0) return;
    const uses = this.uses;
    this.uses = new Map();
    try {
      await this.tokens.noteUses(uses);
    } catch (error) {
      // The times are kept for the next write. If a token was used again in the meantime, its newer time is kept.
      this.uses = new Map([...uses, ...this.uses]);
      this.logger.warn(`last uses of ${uses.size} tokens not written: ${(error as Error).message}`);
    }
  }
}
