import { randomUUID } from 'node:crypto';
import { openSandbox, VENDOR_ACCESS, type OpenSandbox } from './sandbox';

export const PERSON = {
  firstName: 'Jane',
  lastName: 'Doe',
  dob: '1980-02-29',
  ssn: '123456789',
  phoneNumber: '2025550123',
  emailAddress: 'jane@example.com',
  address: { street: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701' },
};

/** The vendor's answer about a user's alerts. */
export interface AlertPage {
  total: number;
  alerts: { alertId: number; bureau: string; class: string; createDate: string; updatedDate: string }[];
}

const { appKey, serverToken } = VENDOR_ACCESS;

/** Starts a sandbox, and returns it with functions that call its vendor as the platform does. */
export async function openVendor(options: Parameters<typeof openSandbox>[0] = {}) {
  const sandbox: OpenSandbox = await openSandbox(options);
  const api = (method: string, path: string, body?: object, signal?: AbortSignal) =>
    sandbox.call(method, `/vendor/api${path}`, undefined, {
      headers: { 'x-array-server-token': serverToken, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal,
    });
  const read = (path: string, query: Record<string, string>, signal?: AbortSignal) =>
    api('GET', `${path}?${new URLSearchParams({ appKey, ...query })}`, undefined, signal);
  return {
    ...sandbox,
    api,
    read,
    write: (method: string, path: string, body: object = {}) => api(method, path, { appKey, ...body }),
    remove: (path: string) => api('DELETE', `${path}?appKey=${appKey}`),
    /** Creates a user for this test only. */
    async createUser(): Promise<string> {
      const clientKey = randomUUID();
      await api('PUT', `/user/v2/${clientKey}`, { appKey, ...PERSON });
      return clientKey;
    },
    async close(): Promise<void> {
      await sandbox.close();
      if (!options.dataDir) sandbox.remove();
    },
  };
}

export type OpenVendor = Awaited<ReturnType<typeof openVendor>>;
