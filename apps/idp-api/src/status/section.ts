import type { StoredAlertData } from '../alert/alert.repository';
import type { Page } from '../array/alerts';
import type { EnrollmentCode } from '../array/enrollment-codes';
import type { Profile } from '../profile/profile';

/** The result of a section: either its payload or an error. */
export type SectionResult = { readonly Ok: object } | { readonly Err: string };

/** The user for whom the sections are read, and the limits of the read. */
export interface SectionRequest extends Profile, StoredAlertData {
  readonly granted: ReadonlySet<EnrollmentCode>;
  /** The page of the alert list that the section `userAlerts` contains. */
  readonly page: Page;
  /** How long reading one section may take, ms. */
  readonly timeoutMs: number;
}

/** One part of the dashboard. */
export interface Section {
  readonly name: string;
  /** The code that the user must be granted to see the section. If omitted, every user sees the section. */
  readonly code?: EnrollmentCode;
  read(request: SectionRequest): Promise<object>;
}

export const ENTITLEMENTS_REQUIRED = 'entitlements required';
export const PROVIDER_UNAVAILABLE = 'provider unavailable';

/** Called with the name and the error of a section that failed, for the log. Not called when the user lacks the entitlement. */
export type OnSectionFailure = (name: string, error: unknown) => void;

/**
 * Reads sections concurrently. A section that fails or hangs does not affect the others. A section that takes longer than `timeoutMs` is an
 * `Err`.
 */
export async function readSections(
  sections: readonly Section[],
  request: SectionRequest,
  onFailure: OnSectionFailure,
): Promise<Record<string, SectionResult>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SectionTimeoutError()), request.timeoutMs);
  });
  // Without this handler, the rejection would be unhandled if no section waits for the promise.
  late.catch(() => undefined);
  const results = sections.map(async (section): Promise<[string, SectionResult]> => {
    const { name, code } = section;
    if (code !== undefined && !request.granted.has(code)) return [name, { Err: ENTITLEMENTS_REQUIRED }];
    try {
      return [name, { Ok: await Promise.race([section.read(request), late]) }];
    } catch (error) {
      onFailure(name, error);
      return [name, { Err: PROVIDER_UNAVAILABLE }];
    }
  });
  try {
    return Object.fromEntries(await Promise.all(results));
  } finally {
    clearTimeout(timer);
  }
}

/** Reading a section took longer than its time limit, whatever the reason. */
export class SectionTimeoutError extends Error {
  readonly code = 'section_timeout';

  constructor() {
    super('the section took too long');
  }
}
