import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { PartnerGatewayConfig } from '../config';
import { TokenRepository } from './token.repository';

/**
 * Keeps `lastUsedAt` without a write in any request: uses are gathered in memory, and written together once in a while.
 * What a crash loses is at most that while of "last used", nothing that anything is decided by.
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
      // Kept for the next time; newer uses win.
      this.uses = new Map([...uses, ...this.uses]);
      this.logger.warn(`The last uses of ${uses.size} tokens could not be written: ${(error as Error).message}`);
    }
  }
}
