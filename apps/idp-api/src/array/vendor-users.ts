import { Injectable } from '@nestjs/common';
import { IsBoolean, IsInt, IsString, MinLength } from 'class-validator';
import { IdpApiConfig } from '../config';
import { ENROLLMENT_CODES, type EnrollmentCode } from './enrollment-codes';
import type { PersonalData } from '../profile/profile';
import type { TimeBudget } from './time-budget';
import { checkedAnswer, ListOf } from './vendor-answer';
import { VendorClient } from './vendor.client';
import { UnknownAtVendorError } from './vendor.errors';

/** A token for the vendor's embedded pages. */
export class UserToken {
  @IsString()
  @MinLength(1)
  userToken!: string;

  /** Unix seconds. */
  @IsInt()
  expirationDate!: number;
}

class Authentication {
  @IsBoolean()
  authenticated!: boolean;
}

class VendorEnrollment {
  @IsString()
  productCode!: string;

  @IsString()
  status!: string;
}

class VendorEnrollments {
  @ListOf(() => VendorEnrollment)
  enrollments!: VendorEnrollment[];
}

/** Calls the vendor's routes for users: their data, the verification of their identity, their tokens, and their enrollments. */
@Injectable()
export class VendorUsers {
  constructor(
    private readonly config: IdpApiConfig,
    private readonly vendor: VendorClient,
  ) {}

  /** Creates the user at the vendor, or replaces the data of an existing user. */
  async put(clientKey: string, data: PersonalData, budget: TimeBudget): Promise<void> {
    const { phoneNumber, ssn, ...others } = data;
    const body = { ...others, ...(phoneNumber !== null && { phoneNumber }), ...(ssn !== null && { ssn }) };
    const answer = await this.vendor.send('users', 'PUT', userPath(clientKey), body, budget);
    if (answer === null) throw new UnknownAtVendorError('users');
  }

  /** Removes the user and the user's enrollments. A user who does not exist is not an error. */
  async delete(clientKey: string, budget: TimeBudget): Promise<void> {
    await this.vendor.send('users', 'DELETE', userPath(clientKey), undefined, budget);
  }

  /** Returns whether the vendor confirms the identity. @throws UnknownAtVendorError, VendorError */
  async authenticate(clientKey: string, budget: TimeBudget): Promise<boolean> {
    const answer = await this.vendor.send('verify', 'POST', '/authenticate/v2', { clientKey }, budget);
    if (answer === null) throw new UnknownAtVendorError('verify');
    return checkedAnswer('verify', Authentication, answer).authenticated;
  }

  async issueToken(clientKey: string, budget: TimeBudget): Promise<UserToken> {
    const body = { clientKey, ttlInSeconds: this.config.USER_TOKEN_SECONDS };
    const answer = await this.vendor.send('token', 'POST', '/authenticate/v2/usertoken', body, budget);
    if (answer === null) throw new UnknownAtVendorError('token');
    const { userToken, expirationDate } = checkedAnswer('token', UserToken, answer);
    return { userToken, expirationDate };
  }

  /**
   * Returns the codes that a user is enrolled in, except codes that this app does not know. Returns null when the vendor does not know the
   * user.
   */
  async findEnrollments(clientKey: string, budget: TimeBudget): Promise<ReadonlySet<EnrollmentCode> | null> {
    const answer = await this.vendor.get('enrollments', enrollmentsPath(clientKey), {}, budget);
    if (answer === null) return null;
    const { enrollments } = checkedAnswer('enrollments', VendorEnrollments, answer);
    const active = new Set(enrollments.flatMap(({ productCode, status }) => (status === 'active' ? productCode : [])));
    return new Set(ENROLLMENT_CODES.filter((code) => active.has(code)));
  }

  async enroll(clientKey: string, code: EnrollmentCode, budget: TimeBudget): Promise<void> {
    const path = `${enrollmentsPath(clientKey)}/${code}`;
    const answer = await this.vendor.send('enrollments', 'PUT', path, {}, budget);
    if (answer === null) throw new UnknownAtVendorError('enrollments');
  }

  async unenroll(clientKey: string, code: EnrollmentCode, budget: TimeBudget): Promise<void> {
    await this.vendor.send('enrollments', 'DELETE', `${enrollmentsPath(clientKey)}/${code}`, undefined, budget);
  }
}

const userPath = (clientKey: string): string => `/user/v2/${clientKey}`;
const enrollmentsPath = (clientKey: string): string => `/monitoring/v2/${clientKey}`;
