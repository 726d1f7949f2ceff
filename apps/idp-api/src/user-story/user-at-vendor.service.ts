import { Injectable } from '@nestjs/common';
import type { IdentityUserAtVendor } from '@tandem/internal-api';
import { arrayUserIdOf } from '../profile/array-user-id';
import { TimeBudget } from '../array/time-budget';
import { VendorReports } from '../array/vendor-reports';
import { VendorUsers } from '../array/vendor-users';
import { outcomeOf } from '../array/vendor.errors';

/** The time limit of each of the two concurrent calls, ms. */
const TIMEOUT_MS = 3_000;

/** Reads what the vendor knows about a user now. */
@Injectable()
export class UserAtVendorService {
  constructor(
    private readonly users: VendorUsers,
    private readonly reports: VendorReports,
  ) {}

  /** Returns the vendor's answers. A failure of the vendor is returned as part of the result, not thrown. */
  async get(krn: string): Promise<IdentityUserAtVendor> {
    const arrayUserId = arrayUserIdOf(krn);
    const newest = { count: 1, offset: 0 };
    const [codes, alerts] = await Promise.all([
      outcomeOf(this.users.findEnrollments(arrayUserId, new TimeBudget(TIMEOUT_MS))),
      outcomeOf(this.reports.listAlerts({ arrayUserId, timeoutMs: TIMEOUT_MS }, newest, {})),
    ]);
    if (codes.value === null) return { isKnown: false, enrolledCodes: [], hasAlerts: false, failures: [] };
    return {
      isKnown: codes.value ? true : null,
      enrolledCodes: codes.value ? [...codes.value] : null,
      hasAlerts: alerts.value ? alerts.value.length > 0 : null,
      failures: [codes, alerts].flatMap(({ failure }) => failure?.error.message ?? []),
    };
  }
}
