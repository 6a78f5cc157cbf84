/** @param line of the log, as JSON @returns the same event for a person at a terminal */
export function lineForPeople(line: string): string {
  return withoutControls(textOfEvent(line))
}

/** Events quote what other servers answer: the terminal must not obey it. */
function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function textOfEvent(line: string): string {
  const event = parsed(line)
  if (event === null) return line
  const { level, time, pid: _, msg, err, ...facts } = event
  const clock = new Date(String(time)).toTimeString().slice(0, 8)
  const words = Object.entries(facts).map(([name, value]) => `${name}=${textOf(value)}`)
  const text = [clock, String(level).padEnd(5), String(msg ?? ''), ...words].join(' ')
  return err === undefined ? `${text}\n` : `${text}\n${indented(stackOf(err))}\n`
}

/** Null if masking a secret has left no JSON. */
function parsed(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value)
}

function stackOf(err: unknown): string {
  if (typeof err !== 'object' || err === null) return textOf(err)
  return 'stack' in err ? String(err.stack) : JSON.stringify(err)
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ')
}
