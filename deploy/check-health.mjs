/**
 * Exits with 0 if the service on this machine is alive (the image's health check), or with `/readyz` as
 * the argument, if it is ready.
 */
const path = process.argv[2] ?? '/healthz'
const port = process.env.PORT ?? '3000'
const isAlive = await fetch(`http://127.0.0.1:${port}${path}`).then(
  ({ ok }) => ok,
  () => false,
)
process.exitCode = isAlive ? 0 : 1
