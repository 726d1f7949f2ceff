/**
 * The health check of the images of apps and the sandbox. It exits with 0 when the program in the container works: an app reports that it is ready;
 * the sandbox, which has no PORT, answers without a server error.
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
