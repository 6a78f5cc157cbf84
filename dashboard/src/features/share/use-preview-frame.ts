import { useEffect, useRef, type RefObject } from 'react'

/** As the page's own policy says. What it opens, such as links and a captcha, are windows like others. */
export const sandbox =
  'allow-scripts allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox'

/**
 * A frame with a chat page. It is loaded again when its visit has ended, such as after the device has
 * slept: a frame that loads itself is sent without the visitor's cookie.
 */
export function usePreviewFrame(): RefObject<HTMLIFrameElement | null> {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const hear = ({ source, data }: MessageEvent<{ parley?: string } | undefined>) => {
      const { current } = frame
      if (current === null || source !== current.contentWindow || data?.parley !== 'again') return
      const address = current.src
      current.src = address
    }
    addEventListener('message', hear)
    return () => removeEventListener('message', hear)
  }, [])
  return frame
}
