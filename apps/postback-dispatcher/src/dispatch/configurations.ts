import { Logger } from '@nestjs/common';
import { OutageLog } from '@tandem/batching';
import type { Endpoint } from '../endpoint-store/endpoint.entity';
import type { EndpointRepository, KnownEndpoint } from '../endpoint-store/endpoint.repository';

/** A user of an endpoint's configuration, such as the endpoint's worker. */
export interface ConfigurationUser {
  readonly known: KnownEndpoint;
  /**
   * @param changed the stored configuration; null if the user already knows it
   * @param readAt when the statement that read the configuration began
   */
  configurationRead(changed: Endpoint | null, readAt: number): void;
}

const RETRY_MS = 500;

/** Reads the stored configurations of the endpoints that have a worker. Requests that are made while a read is in progress share the next read. */
export class Configurations {
  private readonly outage = new OutageLog(new Logger('Configurations'), {
    failed: 'configurations of endpoints cannot be read',
    recovered: 'configurations of endpoints are read again',
  });
  private readonly asking = new Set<ConfigurationUser>();
  private reading = false;

  constructor(private readonly endpoints: EndpointRepository) {}

  /**
   * Reads the stored configurations of these users, and calls `configurationRead` of each user. A user that makes another request during
   * the read is called again after a further read.
   */
  request(users: Iterable<ConfigurationUser>): void {
    for (const user of users) this.asking.add(user);
    if (this.reading || this.asking.size === 0) return;
    this.reading = true;
    // Configurations that are requested in the same turn of the event loop are read together.
    setImmediate(() => void this.readAll());
  }

  private async readAll(): Promise<void> {
    while (this.asking.size > 0) {
      const users = [...this.asking];
      this.asking.clear();
      if (await this.read(users)) continue;
      for (const user of users) this.asking.add(user);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
    this.reading = false;
  }

  private async read(users: readonly ConfigurationUser[]): Promise<boolean> {
    const readAt = performance.now();
    try {
      const changed = await this.endpoints.findChanged(users.map(({ known }) => known));
      const byId = new Map(changed.map((endpoint) => [endpoint.id, endpoint]));
      for (const user of users) user.configurationRead(byId.get(user.known.id) ?? null, readAt);
      this.outage.succeeded();
      return true;
    } catch (error) {
      this.outage.failed({ reason: (error as Error).message });
      return false;
    }
  }
}
