import { Injectable } from '@nestjs/common';
import { ENROLLMENT_CHANGED } from '@tandem/contracts';
import { Outbox } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import type { Profile } from '../profile/profile';
import { type Enrollment, EnrollmentRepository, type EnrollmentStatus } from './enrollment.repository';

/** What users are enrolled in. */
@Injectable()
export class EnrollmentService {
  constructor(
    private readonly enrollments: EnrollmentRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Every code that the user was ever to be enrolled in. */
  list(krn: string): Promise<Enrollment[]> {
    return this.enrollments.findAll(krn);
  }

  /** What became of each code, oldest first. */
  listHistory(krn: string): Promise<EnrollmentStatus[]> {
    return this.enrollments.findHistory(krn);
  }

  /** Publishes that enrollments end with their user. The caller's transaction holds the user's row. */
  async publishDeleted(manager: EntityManager, { krn, arrayUserId }: Profile): Promise<void> {
    const end = { active: false, reason: 'user_deleted', changedAt: new Date().toISOString() } as const;
    const active = (await this.enrollments.findAll(krn, manager)).filter((enrollment) => enrollment.active);
    await this.outbox.addMany(
      manager,
      ENROLLMENT_CHANGED,
      active.map(({ code }) => ({ data: { krn, arrayUserId, code, ...end } })),
    );
  }
}
