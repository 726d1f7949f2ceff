import { Injectable } from '@nestjs/common';
import { EndpointRepository } from '../endpoint/endpoint.repository';
import { AttemptClient } from './attempt.client';
import { DueRepository } from './due.repository';
import { ResultRepository } from './result.repository';

/** What the dispatcher hands on to its workers and its writer. */
@Injectable()
export class DispatchTools {
  constructor(
    readonly client: AttemptClient,
    readonly due: DueRepository,
    readonly endpoints: EndpointRepository,
    readonly results: ResultRepository,
  ) {}
}
