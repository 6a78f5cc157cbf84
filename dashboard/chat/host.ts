/** What the loader sends into its frame. */
export type FromHost =
  | {
      readonly parley: 'visit'
      readonly token: string
      /** Milliseconds until the token ends. */
      readonly ends_in: number
      /** The conversation to show; null begins one. */
      readonly conversation: string | null
    }
  | { readonly parley: 'ask'; readonly text: string }
  /** Another visit follows: the frame reports `idle` when nothing is being sent, and sends nothing more. */
  | { readonly parley: 'hold' }
  /** No other visit follows: the frame goes on with the one that it has. */
  | { readonly parley: 'resume' }
  /** The frame has no visit, and gets none now. It asks again by reporting `ended`. */
  | {
      readonly parley: 'failed'
      readonly code: string
      /** Seconds after which another attempt may succeed. */
      readonly retry_after?: number
    }

/** What the frame reports to the loader. `ready` and `close` reveal nothing, so they go to any page. */
export type ToHost =
  | { readonly parley: 'ready' | 'close' | 'ended' | 'message' | 'answer' | 'idle' }
  | { readonly parley: 'conversation'; readonly id: string | null }
  | { readonly parley: 'rated'; readonly rating: 'up' | 'down' | null }

/** The page that embeds this one. The frame's policy lets only allowed sites do so. */
export class Host {
  #origin = '*'

  constructor(receive: (message: FromHost) => void) {
    addEventListener('message', ({ data, source, origin }: MessageEvent<unknown>) => {
      if (source !== parent || !isFromHost(data)) return
      this.#origin = origin
      receive(data)
    })
    this.send({ parley: 'ready' })
  }

  send(message: ToHost): void {
    parent.postMessage(message, this.#origin)
  }
}

const known = new Set<FromHost['parley']>(['visit', 'ask', 'hold', 'resume', 'failed'])

function isFromHost(data: unknown): data is FromHost {
  if (typeof data !== 'object' || data === null || !('parley' in data)) return false
  // `FromHost` names what its pages send.
  return known.has(data.parley as FromHost['parley'])
}
