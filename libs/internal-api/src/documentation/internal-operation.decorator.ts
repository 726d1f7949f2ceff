import { applyDecorators, HttpCode, NotFoundException, type Type } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { CallerNotAllowedError, InvalidTokenError } from '@tandem/auth';
import { defineErrors, DocumentFailures, PROBLEM_FORMAT, ValidationFailedError } from '@tandem/http-api';
import { POSTBACK_ERRORS } from '../contracts/postbacks.errors';
import { VOUCHER_ERRORS } from '../contracts/vouchers.errors';

/** The errors of internal operations, as their apps map them. */
const ERRORS = defineErrors([
  [InvalidTokenError, 401],
  [CallerNotAllowedError, 403],
  ...POSTBACK_ERRORS,
  ...VOUCHER_ERRORS,
]);

export interface InternalOperationOptions {
  summary: string;
  /** The class of the answer for each status of a success. When there is one status, the operation answers with it. */
  answers: Readonly<Record<number, Type>>;
  /** One instance of each error of its own; those of token, body and outages are added. */
  failures?: readonly Error[];
  /** Whether it takes a body, or a query: both are validated. */
  takes?: 'body' | 'query';
}

/** Describes an operation between apps, which has {@link ServiceTokenGuard}. */
export function InternalOperation(options: InternalOperationOptions): MethodDecorator {
  const { summary, answers, failures = [], takes } = options;
  const statuses = Object.keys(answers).map(Number);
  return applyDecorators(
    ApiOperation({ summary }),
    ...(statuses.length === 1 ? [HttpCode(statuses[0] as number)] : []),
    ...Object.entries(answers).map(([status, type]) => ApiResponse({ status: Number(status), description: '', type })),
    DocumentFailures({
      failures: [
        new InvalidTokenError('The service token is missing'),
        new CallerNotAllowedError(),
        ...(takes === undefined ? [] : [new ValidationFailedError([])]),
        new NotFoundException('There is no such partner or environment'),
        ...failures,
      ],
      path: true,
      body: takes === 'body',
      errors: ERRORS,
      format: PROBLEM_FORMAT,
    }),
  );
}
