import { describeRefusal, requestJson } from './http.mjs';

/** Tokens of a development stack live as long as a developer needs them. */
export const TOKEN_SECONDS = 90 * 24 * 3600;

/** Somebody of the development stack. */
export const krnOf = (name) => `krn:tandem:dev:user:${name}`;

/** A token of the sandbox's issuer. @throws when it refuses */
export async function mintToken(issuerUrl, request) {
  const answer = await requestJson('POST', `${issuerUrl}/token`, { body: request });
  if (answer.status !== 201) throw new Error(`the issuer refused: ${describeRefusal(answer)}`);
  return answer.body.token;
}
