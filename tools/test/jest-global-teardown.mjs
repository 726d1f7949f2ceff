/** Ends the servers that jest-global-setup.mjs started. */
export default async function tearDown() {
  await globalThis.tearDownServers?.();
}
