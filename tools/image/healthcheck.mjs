/**
 * The health check of every image: exit code 0 when the program in this container answers. An app is asked whether it is
 * ready; of the sandbox, which has no PORT, any answer will do.
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
