/** The image's health check: exits with 0 if the service in this container is alive. */
const port = process.env.PORT ?? '3000'
const isAlive = await fetch(`http://127.0.0.1:${port}/healthz`).then(
  ({ ok }) => ok,
  () => false,
)
process.exitCode = isAlive ? 0 : 1
