import { tallies } from '#kernel/tallies.ts'

/** Where each surface is mounted, the first match first; what is left is the dashboard's pages. */
const mounts: readonly (readonly [prefix: string, surface: string])[] = [
  ['/api/v1/', 'chat'],
  ['/api/dashboard/', 'dashboard'],
  ['/mcp/oauth/', 'oauth'],
  ['/mcp', 'mcp'],
  ['/acp', 'acp'],
  ['/.well-known/acp', 'acp'],
  ['/.well-known/', 'oauth'],
  ['/hooks/', 'hooks'],
  ['/healthz', 'ops'],
  ['/readyz', 'ops'],
  ['/metrics', 'ops'],
  ['/chat/', 'public'],
  ['/chat-assets/', 'public'],
  ['/docs', 'docs'],
  ['/login', 'account'],
  ['/setup', 'account'],
  ['/account', 'account'],
]

/** The surface that a path belongs to. @param base the path of `BASE_URL` */
export function surfaceOf(url: string, base: string): string {
  const slash = url.indexOf('/', url.indexOf('//') + 2)
  const path = slash === -1 ? '/' : url.slice(slash)
  const own = path.startsWith(`${base}/`) ? path.slice(base.length) : path
  return mounts.find(([prefix]) => own.startsWith(prefix))?.[1] ?? 'pages'
}

export function tallyRequest(surface: string, status: number, ms: number): void {
  tallies.requests.add(`${surface} ${outcomeOf(status)}`)
  tallies.requestTime.add(ms, surface)
}

function outcomeOf(status: number): string {
  if (status < 400) return 'ok'
  if (status === 429) return 'limited'
  return status < 500 ? 'refused' : 'failed'
}
