import { ReleaseError } from './version.ts'

const opening = `## Unreleased

Changes that need action when you upgrade are **bold**.
`

/**
 * Moves the top section to one of the version, with `notes` at its end, and begins an empty one.
 *
 * @throws ReleaseError when the top section is empty or missing
 */
export function releaseChangelog(text: string, heading: string, notes: string): string {
  const start = text.indexOf('## Unreleased\n')
  if (start === -1) throw new ReleaseError('CHANGELOG.md has no section "Unreleased"')
  const after = text.indexOf('\n## ', start)
  const end = after === -1 ? text.length : after
  const section = text.slice(start, end).replace(/^## Unreleased\n/, '')
  if (!/^- /m.test(section)) throw new ReleaseError('the top section of CHANGELOG.md is empty')
  const moved = `## ${heading}\n${section.trimEnd()}\n\n${notes.trim()}\n`
  return `${text.slice(0, start)}${opening}\n${moved}${text.slice(end)}`
}

/** The section of a version without its heading. @throws ReleaseError when there is none */
export function sectionOf(text: string, version: string): string {
  const [, section] =
    new RegExp(`^## ${RegExp.escape(version)}(?: .*)?\n([^]*?)(?=^## |(?![^]))`, 'm').exec(text) ??
    []
  if (section === undefined) throw new ReleaseError(`CHANGELOG.md has no section of ${version}`)
  return section.trim()
}
