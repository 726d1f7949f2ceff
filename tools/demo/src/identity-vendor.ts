import type { Scene } from './scene';

interface VendorUser {
  clientKey: string;
  enrollments: { productCode: string; status: string }[];
}

/** Controls the identity vendor in the sandbox. */
export class VendorDesk {
  constructor(private readonly scene: Scene) {}

  /** Returns the codes of a user's active enrollments, sorted; undefined for an unknown user. */
  async activeCodes(arrayUserId: string): Promise<string[] | undefined> {
    const { body } = await this.scene.client.call('GET', `${this.scene.stack.sandbox.vendor}/users`, { silent: true });
    const user = (body.users as VendorUser[]).find(({ clientKey }) => clientKey === arrayUserId);
    return user?.enrollments
      .filter(({ status }) => status === 'active')
      .map(({ productCode }) => productCode)
      .sort();
  }

  /** Adds alerts, scores, scans, watches and accounts for the user. */
  async addSampleData(arrayUserId: string): Promise<void> {
    const url = `${this.scene.stack.sandbox.vendor}/users/${arrayUserId}/sample-data`;
    this.scene.expectStatus(await this.scene.client.call('POST', url), 201);
  }

  /** Makes the vendor raise an alert. @returns the alert's id */
  async addAlert(arrayUserId: string, alert: { bureau: string; class: string }): Promise<number> {
    const url = `${this.scene.stack.sandbox.vendor}/users/${arrayUserId}/alerts`;
    const added = await this.scene.client.call('POST', url, { body: alert });
    this.scene.expectStatus(added, 201);
    return Number(added.body.alertId);
  }

  /** Makes a route of the vendor's API fail. */
  async fail(fault: { route: string; fault: string; times?: number }): Promise<void> {
    const url = `${this.scene.stack.sandbox.vendor}/faults`;
    this.scene.expectStatus(await this.scene.client.call('PUT', url, { body: fault }), 200);
  }
}
