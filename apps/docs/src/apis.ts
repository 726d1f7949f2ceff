/** A public API that has a page in the reference. */
export interface Api {
  /** The last part of the page's address, `/docs/reference/<name>`. */
  readonly name: string;
  readonly title: string;
  /** The name of the API's document in `docs/openapi`. */
  readonly file: string;
  /** The environment variable that holds the token in samples. */
  readonly token: string;
}

export const APIS: readonly Api[] = [
  { name: 'partner', title: 'Partner API', file: 'partner-api.json', token: 'TANDEM_TOKEN' },
  { name: 'manager', title: 'Manager API', file: 'manager-api.json', token: 'TANDEM_MANAGER_TOKEN' },
  { name: 'client', title: 'Identity API', file: 'client-api.json', token: 'ACCESS_TOKEN' },
  { name: 'support', title: 'Support API', file: 'support-api.json', token: 'TANDEM_SUPPORT_TOKEN' },
  { name: 'discovery', title: 'Discovery API', file: 'discovery-api.json', token: 'ACCESS_TOKEN' },
];
