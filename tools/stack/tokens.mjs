import { describeRefusal, requestJson } from './http.mjs';

/** The lifetime of the tokens of a development stack: 90 days. */
export const TOKEN_SECONDS = 90 * 24 * 3600;

/** Returns the KRN of a user of the development stack. */
export const krnOf = (name) => `krn:tandem:dev:user:${name}`;

/** Requests a token from the sandbox's issuer. @throws when the issuer refuses */
export async function mintToken(issuerUrl, request) {
  const answer = await requestJson('POST', `${issuerUrl}/token`, { body: request });
  if (answer.status !== 201) throw new Error(`the issuer refused: ${describeRefusal(answer)}`);
  return answer.body.token;
}
