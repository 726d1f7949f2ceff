/** Ends what jest-global-setup.mjs started. */
export default async function tearDown() {
  await globalThis.tearDownServers?.();
}
