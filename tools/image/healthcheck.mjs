/**
 * The health check of the images of apps and the sandbox. It exits with 0 when the program in the container works. An app works if it reports that it
 * is ready. The sandbox, which has no PORT, works if it answers without a server error.
 */
const { PORT, SANDBOX_PORT } = process.env;
const path = PORT ? `${PORT}/readyz` : `${SANDBOX_PORT}/`;

try {
  const { ok, status } = await fetch(`http://127.0.0.1:${path}`, { signal: AbortSignal.timeout(10_000) });
  process.exit(ok || (!PORT && status < 500) ? 0 : 1);
} catch (error) {
  console.error(error.cause?.code ?? error.message);
  process.exit(1);
}
