import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PreparedAnswer } from './prepared-answer';

/**
 * Sends 304 to a client that already has the answer, else the answer.
 *
 * @param admit called before the body is sent; it throws to refuse the request
 */
export function sendUnlessKnown(
  answer: PreparedAnswer,
  { headers: asked }: FastifyRequest,
  reply: FastifyReply,
  admit?: (body: Buffer) => void,
): void {
  const unchanged = answer.unchangedFor(asked['if-none-match']);
  if (unchanged) return void reply.code(304).headers(unchanged).send();
  const { body, headers } = answer.representationFor(asked['accept-encoding']);
  admit?.(body);
  reply.code(200).headers(headers).send(body);
}
