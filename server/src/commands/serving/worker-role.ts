import cluster from 'node:cluster'

/** Sent by a worker that serves requests, with the text for people. */
export interface WorkerReady {
  readonly banner: string
}

/** Sent by the supervisor: the worker finishes its requests and ends. */
export const stopMessage = 'stop'

/** What a worker does differently from the only process of a service. */
export interface WorkerRole {
  /** True for the first worker: it opens the port before it creates anything. */
  readonly opensPort: boolean
  /** Resolves when this worker is to stop: the supervisor asks for it or has ended, or SIGTERM. */
  stopRequested(): Promise<string>
  reportReady(banner: string): void
  /** Lets the process end. */
  leave(): void
}

/** @returns null in a process without a supervisor */
export function workerRole(): WorkerRole | null {
  const { worker } = cluster
  if (worker === undefined) return null
  return {
    opensPort: worker.id === 1,
    stopRequested: () => {
      const { promise, resolve } = Promise.withResolvers<string>()
      // Otherwise Node ends a worker at once when its supervisor has ended.
      worker.exitedAfterDisconnect = true
      process.on('disconnect', () => resolve('disconnect'))
      process.on('message', (message) => {
        if (message === stopMessage) resolve(stopMessage)
      })
      process.on('SIGTERM', () => resolve('SIGTERM'))
      // Ctrl-C reaches every process of the terminal: the supervisor decides.
      process.on('SIGINT', () => {})
      return promise
    },
    reportReady(banner) {
      const ready: WorkerReady = { banner }
      worker.send(ready)
    },
    leave() {
      // Otherwise Node ends a worker with code 0 when it disconnects.
      worker.exitedAfterDisconnect = true
      if (worker.isConnected()) process.disconnect?.()
    },
  }
}
