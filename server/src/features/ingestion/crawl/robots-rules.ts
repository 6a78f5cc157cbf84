/** The rules of a site's robots.txt for us (RFC 9309). */
export interface RobotsRules {
  allows(url: URL): boolean
  /** The pause between two requests: `Crawl-delay`, which is not part of the RFC. */
  readonly delayMs: number
}

interface Rule {
  readonly pattern: string
  readonly isAllowed: boolean
}

const ourName = 'parley'
/** RFC 9309 §2.5: at least this much is read. */
const maxBytes = 500 * 1024
const maxDelayMs = 5_000

export const noRules: RobotsRules = { allows: () => true, delayMs: 0 }
export const allForbidden: RobotsRules = { allows: () => false, delayMs: 0 }

export function readRobots(text: string): RobotsRules {
  const groups = new Map<string, { rules: Rule[]; delayMs: number }>()
  let open: string[] = []
  let isNaming = false
  for (const line of text.slice(0, maxBytes).split(/\r\n|\r|\n/)) {
    const [, key = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? []
    const field = key.toLowerCase()
    if (field === 'user-agent') {
      // §2.2.1: several names may share the rules that follow them.
      if (!isNaming) open = []
      isNaming = true
      open.push(value.trim().toLowerCase())
      continue
    }
    if (field === '') continue
    isNaming = false
    for (const name of open) {
      const group = groups.get(name) ?? { rules: [], delayMs: 0 }
      groups.set(name, group)
      const pattern = value.trim()
      if ((field === 'allow' || field === 'disallow') && pattern !== '')
        group.rules.push({ pattern, isAllowed: field === 'allow' })
      if (field === 'crawl-delay') group.delayMs = Math.min(Number(pattern) * 1000 || 0, maxDelayMs)
    }
  }
  const group = groups.get(ourName) ?? groups.get('*')
  if (group === undefined) return noRules
  return { allows: (url) => isAllowed(group.rules, url), delayMs: group.delayMs }
}

/** §2.2.2: the longest matching pattern decides; of two of the same length, the one that allows. */
function isAllowed(rules: readonly Rule[], { pathname, search }: URL): boolean {
  let best: Rule | null = null
  for (const rule of rules) {
    const longer = best === null || rule.pattern.length > best.pattern.length
    const asLong = best !== null && rule.pattern.length === best.pattern.length && rule.isAllowed
    if ((longer || asLong) && fitsPattern(rule.pattern, pathname + search)) best = rule
  }
  return best?.isAllowed ?? true
}

function fitsPattern(pattern: string, path: string): boolean {
  // §2.2.3: a `$` at the end matches the end of the path; without it the pattern is a prefix.
  const isWhole = pattern.endsWith('$')
  return fitsGlob(isWhole ? pattern.slice(0, -1) : `${pattern}*`, path)
}

/** `*` matches any characters. Takes linear time for any pattern. */
export function fitsGlob(pattern: string, text: string): boolean {
  const parts = pattern.split('*')
  const first = parts[0] ?? ''
  const last = parts.at(-1) ?? ''
  if (parts.length === 1) return text === pattern
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
