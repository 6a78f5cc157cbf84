/** Under npm, one Ctrl-C arrives twice: from the terminal, and forwarded by npm. */
const sameSignalMs = 400

/**
 * Resolves at the first signal to stop. A second one ends the process at once, after `beforeExit`.
 */
export function stopSignal(beforeExit: () => void = () => {}): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  let firstAt: number | null = null
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      const now = performance.now()
      if (firstAt !== null && now - firstAt > sameSignalMs) {
        beforeExit()
        process.exit(signal === 'SIGINT' ? 130 : 143)
      }
      firstAt ??= now
      resolve(signal)
    })
  return promise
}
