/** Returns the runtime's WebCrypto. @throws TypeError where there is none, as in Node 18 without a flag */
export function webCrypto(): Crypto {
  const { crypto } = globalThis as { crypto?: Crypto };
  if (crypto) return crypto;
  throw new TypeError('WebCrypto is missing. In Node 18, set globalThis.crypto to the webcrypto of node:crypto');
}
