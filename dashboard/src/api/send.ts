import { basePath } from './base-path.ts'
import { errorOf, OperationError } from './operation-error.ts'

/**
 * Sends a request to the dashboard's API. An expired sign-in opens the sign-in page, which leads back.
 *
 * @throws OperationError
 */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(`${basePath}/api/dashboard${path}`, init)
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause
    throw new OperationError('offline', { code: 'offline', status: 0, cause })
  }
  if (response.ok) return response
  if (response.status === 401) toSignIn()
  throw await errorOf(response)
}

export async function sendJson(
  path: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  return await send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    keepalive: isLeft,
    ...(signal === undefined ? {} : { signal }),
  })
}

/** True while the page is being closed: requests must then outlive it (`keepalive`). */
let isLeft = false
globalThis.addEventListener('pagehide', () => {
  isLeft = true
})
globalThis.addEventListener('pageshow', () => {
  isLeft = false
})

/** Opens the sign-in page. The tab keeps the drafts of forms. */
export function toSignIn(): void {
  const back = `${location.pathname}${location.search}`
  location.assign(`${basePath}/login?return_to=${encodeURIComponent(back)}`)
}
