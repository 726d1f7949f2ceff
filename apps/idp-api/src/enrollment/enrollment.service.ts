import { Injectable } from '@nestjs/common';
import { ENROLLMENT_CHANGED } from '@tandem/contracts';
import { Outbox } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import type { Profile } from '../profile/profile';
import { type Enrollment, EnrollmentRepository, type EnrollmentStatus } from './enrollment.repository';

/** Reads the enrollments of users, and publishes their end when a user is deleted. */
@Injectable()
export class EnrollmentService {
  constructor(
    private readonly enrollments: EnrollmentRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Returns the state of every code in which the user should be enrolled, or once should have been. */
  list(krn: string): Promise<Enrollment[]> {
    return this.enrollments.findAll(krn);
  }

  /** Returns the status history of every code, oldest first. */
  listHistory(krn: string): Promise<EnrollmentStatus[]> {
    return this.enrollments.findHistory(krn);
  }

  /** Publishes that the active enrollments of a deleted user have ended. The caller's transaction has locked the profile's row. */
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
