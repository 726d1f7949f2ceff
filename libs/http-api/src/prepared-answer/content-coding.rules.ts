/** The codings in which a body can be sent. If a client gives several codings the same weight, the first of these is used. */
export const CODINGS = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof CODINGS)[number];

/** One member of Accept-Encoding: a coding and, if any, its weight. */
const MEMBER = /^\s*([A-Za-z0-9*!#$%&'+.^_`|~-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;
/** The weight of `identity` if the client names neither `identity` nor `*`: less than any weight above 0 that a client can name. */
const UNNAMED_IDENTITY = 0.000_1;

/**
 * Returns the coding that the client prefers (RFC 9110, section 12.5.3). If the client sends no Accept-Encoding, or
 * accepts neither `br` nor `gzip`, the result is `identity` (uncompressed).
 */
export function codingFor(acceptEncoding: string | string[] | undefined): Coding {
  if (acceptEncoding === undefined || acceptEncoding === '') return 'identity';
  const weights = weightsOf(String(acceptEncoding));
  const weightOf = (coding: Coding): number =>
    weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? UNNAMED_IDENTITY : 0);
  let best: Coding = 'identity';
  for (const coding of [...CODINGS].reverse())
    if (weightOf(coding) >= weightOf(best) && weightOf(coding) > 0) best = coding;
  return best;
}

function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const member of header.split(',')) {
    const [, name, weight = '1'] = MEMBER.exec(member) ?? [];
    if (name !== undefined) weights.set(name.toLowerCase(), Number(weight));
  }
  return weights;
}
