interface AwaitedCaptcha {
  /** Opens the captcha in a window, as the answer to a click. */
  readonly open: () => void
  /** Empty if the window could not show the captcha. */
  readonly token: Promise<string>
}

/**
 * Waits for what the visitor does in the captcha's window. The page itself cannot show the captcha: in
 * its opaque origin, the frames of providers do not work.
 */
export function awaitCaptcha(address: string, signal: AbortSignal): AwaitedCaptcha {
  const { origin } = new URL(address)
  let opened: Window | null = null
  const token = new Promise<string>((resolve, reject) => {
    const heard = new AbortController()
    addEventListener(
      'message',
      ({ source, origin: from, data }: MessageEvent<unknown>) => {
        if (opened === null || source !== opened || from !== origin) return
        const solved = tokenIn(data)
        if (solved === null) return
        heard.abort()
        resolve(solved)
      },
      { signal: heard.signal },
    )
    signal.addEventListener('abort', () => {
      heard.abort()
      // As `fetch` rejects when the visitor stops it.
      reject(new DOMException('stopped', 'AbortError'))
    })
  })
  const open = () => {
    opened = window.open(address, '_blank', 'popup,width=420,height=600')
  }
  return { open, token }
}

function tokenIn(data: unknown): string | null {
  const isOurs = typeof data === 'object' && data !== null && 'captcha' in data
  return isOurs && typeof data.captcha === 'string' ? data.captcha : null
}
