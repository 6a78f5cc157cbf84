import { createRequire } from 'node:module'
import type { buildConnector, Client as UndiciClient, Dispatcher, Pool } from 'undici'
import type { ReadSchedule } from './read-schedule.ts'
import { SpacedReads } from './spaced-reads.ts'

const require = createRequire(import.meta.url)
/** Loaded by its file, as the pool is (`pools.ts`), which has loaded it before. */
export const Client = require('undici/lib/dispatcher/client.js') as typeof UndiciClient

/** A client's connection, which serves one request at a time. */
export interface ServingConnection {
  /** Of its socket; null before it has one. */
  reads: SpacedReads | null
}

/** A handler that is told of the connection before its request is sent. */
interface ServedHandler extends Dispatcher.DispatchHandler {
  servedBy?(connection: ServingConnection): void
}

type ClientOptions = UndiciClient.Options & { readonly connect: buildConnector.connector }

/** The option of a pool whose connections read as the schedule says. */
export function spacedBy(schedule: ReadSchedule | undefined): Pick<Pool.Options, 'factory'> {
  if (schedule === undefined || schedule.longestMs === 0) return {}
  // The pool passes its own options, of which `connect` is the function that it was given.
  return {
    factory: (origin, options) => new SpacedClient(origin, options as ClientOptions, schedule),
  }
}

/** One connection at a time, without pipelining, so its socket serves the request that is answered. */
class SpacedClient extends Client {
  readonly #connection: ServingConnection

  constructor(origin: URL, { connect, ...options }: ClientOptions, schedule: ReadSchedule) {
    const connection: ServingConnection = { reads: null }
    super(origin, {
      ...options,
      connect: (to, callback) =>
        connect(to, (...[error, socket]) => {
          if (error !== null) return callback(error, null)
          connection.reads = new SpacedReads(socket, schedule)
          callback(null, socket)
        }),
    })
    this.#connection = connection
  }

  override dispatch(request: Dispatcher.DispatchOptions, handler: ServedHandler): boolean {
    handler.servedBy?.(this.#connection)
    return super.dispatch(request, handler)
  }
}
