/** What a page asks of those who collect pages. */
export interface RobotsDirectives {
  readonly mayIndex: boolean
  readonly mayFollow: boolean
}

/** Directives that carry a value, which is none of the page's words: `max-image-preview:none`. */
const valued = new Set([
  'max-snippet',
  'max-image-preview',
  'max-video-preview',
  'unavailable_after',
])

/** The names that mean us. */
const ourNames = new Set(['*', 'all', 'robots', 'parley'])

const withValue = /[\w-]+\s*:\s*\S+/g
const named = /^([a-z*][\w*-]*)[ \t]*:[ \t]*(.*)$/

/** Reads the contents of robots meta elements together. */
export function readRobotsMeta(contents: readonly string[]): RobotsDirectives {
  return directivesOf(contents.flatMap((content) => content.toLowerCase().split(',')))
}

/**
 * Reads `X-Robots-Tag`, line by line: what follows a name, up to the end of its line, is for that robot
 * alone, so `other: noindex, nofollow` says nothing to us. Several lines may have come as one; a
 * further name begins anew.
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
  // A comma stands between two of them; a space is a mistake that many make.
  const words = new Set(parts.flatMap((part) => part.replaceAll(withValue, ' ').split(/\s+/)))
  const asksNot = (word: string) => words.has(word) || words.has('none')
  return { mayIndex: !asksNot('noindex'), mayFollow: !asksNot('nofollow') }
}
