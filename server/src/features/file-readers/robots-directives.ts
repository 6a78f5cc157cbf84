/** The directives of a page for crawlers. */
export interface RobotsDirectives {
  readonly mayIndex: boolean
  readonly mayFollow: boolean
}

/** Directives with a value, which is not a directive itself: `max-image-preview:none`. */
const valued = new Set([
  'max-snippet',
  'max-image-preview',
  'max-video-preview',
  'unavailable_after',
])

/** The robot names that include this crawler. */
const ourNames = new Set(['*', 'all', 'robots', 'parley'])

const withValue = /[\w-]+\s*:\s*\S+/g
const named = /^([a-z*][\w*-]*)[ \t]*:[ \t]*(.*)$/

/** Reads the contents of robots meta elements together. */
export function readRobotsMeta(contents: readonly string[]): RobotsDirectives {
  return directivesOf(contents.flatMap((content) => content.toLowerCase().split(',')))
}

/**
 * Reads `X-Robots-Tag` line by line. Directives after a name apply to that robot alone, up to the next
 * name or the end of the line, so `other: noindex, nofollow` does not apply to us. Several lines may have
 * been joined to one.
 */
export function readRobotsHeader(header: string | readonly string[] | undefined): RobotsDirectives {
  const lines = header === undefined ? [] : typeof header === 'string' ? [header] : header
  return directivesOf(lines.flatMap((line) => oursOf(line.toLowerCase())))
}

function oursOf(line: string): string[] {
  let isOurs = true
  const ours: string[] = []
  for (const part of line.split(',')) {
    const [, name, rest = ''] = named.exec(part.trim()) ?? []
    const isName = name !== undefined && !valued.has(name)
    if (isName) isOurs = ourNames.has(name)
    if (isOurs) ours.push(isName ? rest : part)
  }
  return ours
}

function directivesOf(parts: readonly string[]): RobotsDirectives {
  // Directives are separated by commas, but many pages use spaces.
  const words = new Set(parts.flatMap((part) => part.replaceAll(withValue, ' ').split(/\s+/)))
  const asksNot = (word: string) => words.has(word) || words.has('none')
  return { mayIndex: !asksNot('noindex'), mayFollow: !asksNot('nofollow') }
}
