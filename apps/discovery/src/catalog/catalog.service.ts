import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ServiceUnavailableError } from '@tandem/http-api';
import { DiscoveryConfig } from '../config';
import { Catalog } from './catalog';
import { observeCatalog } from './catalog.metrics';
import { CatalogRepository } from './catalog.repository';

/**
 * Holds the catalog from which requests are answered. Polls the version of the tables, and reads all tables again in one snapshot when the
 * version has changed. While the database is down, keeps the last catalog.
 */
@Injectable()
export class CatalogService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('catalog');
  private catalog?: Catalog;
  private isFailing = false;
  private running: Promise<void> = Promise.resolve();
  private timer?: NodeJS.Timeout;
  private stopped = false;

  constructor(
    private readonly config: DiscoveryConfig,
    private readonly repository: CatalogRepository,
  ) {}

  onModuleInit(): Promise<void> {
    return this.follow();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  get isLoaded(): boolean {
    return this.catalog !== undefined;
  }

  /** The last catalog that was read. @throws ServiceUnavailableError when no catalog has been read since the app started */
  get current(): Catalog {
    if (!this.catalog) throw new ServiceUnavailableError('The locations could not be read yet; try again.');
    return this.catalog;
  }

  private follow(): Promise<void> {
    this.running = this.refresh().then(() => {
      if (!this.stopped) this.timer = setTimeout(() => void this.follow(), this.config.CATALOG_POLL_MS);
    });
    return this.running;
  }

  private async refresh(): Promise<void> {
    try {
      if (this.catalog?.version !== (await this.repository.version())) await this.load();
      observeCatalog.checked();
      if (this.isFailing) this.logger.log({ msg: 'the catalog can be read again' });
      this.isFailing = false;
    } catch (error) {
      // The failure is logged once per outage, not for each poll.
      if (!this.isFailing) {
        this.logger.warn({
          msg: 'the catalog cannot be read; the last catalog that was read stays in use',
          reason: (error as Error).message,
        });
      }
      this.isFailing = true;
    }
  }

  private async load(): Promise<void> {
    const content = await this.repository.read();
    this.catalog = new Catalog(content);
    observeCatalog.loaded(content.changedAt);
    const endpoints = content.locations.reduce((sum, location) => sum + location.endpoints.length, 0);
    this.logger.log({
      msg: 'the catalog was loaded',
      version: content.version,
      changedAt: content.changedAt.toISOString(),
      locations: content.locations.length,
      endpoints,
    });
  }
}
