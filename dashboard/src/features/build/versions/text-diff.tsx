import { diffLines, diffWordsWithSpace, type ChangeObject } from 'diff'
import { useMemo } from 'react'
import { t } from '#texts/t.ts'

export interface TextDiffProps {
  /** Names the text. */
  readonly label: string
  readonly before: string
  readonly after: string
  /** False for values that are compared as a whole, such as numbers. */
  readonly isProse: boolean
}

/** The differences of two texts: removed text is struck through, added text is underlined. */
export function TextDiff({ label, before, after, isProse }: TextDiffProps) {
  const parts = useMemo(
    () => (isProse ? partsOf(before, after) : wholes(before, after)),
    [before, after, isProse],
  )
  return (
    <p
      role="region"
      aria-label={label}
      tabIndex={0}
      className="max-h-[36rem] overflow-y-auto rounded-xl border border-line bg-quiet px-4 py-3 text-sm leading-relaxed break-words whitespace-pre-wrap"
    >
      {parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
    </p>
  )
}

type TextPart = Pick<ChangeObject<string>, 'value' | 'added' | 'removed'>

/** Longer texts are compared by line, because comparing their words takes seconds. */
const maxWordCharacters = 20_000
const timeout = 500

function partsOf(before: string, after: string): readonly TextPart[] {
  if (before === '' || after === '') return wholes(before, after)
  const byWords =
    before.length + after.length > maxWordCharacters
      ? undefined
      : diffWordsWithSpace(before, after, { timeout })
  return byWords ?? diffLines(before, after, { timeout }) ?? wholes(before, after)
}

function wholes(before: string, after: string): readonly TextPart[] {
  const empty = `(${t('build.versions.empty')})`
  return [
    { value: before === '' ? empty : before, added: false, removed: true },
    { value: ' ', added: false, removed: false },
    { value: after === '' ? empty : after, added: true, removed: false },
  ]
}

/** Colour is never the only sign, and screen readers announce the change. */
function Part({ part: { value, added, removed } }: { readonly part: TextPart }) {
  if (removed)
    return (
      <del className="rounded-sm bg-bad-ground text-bad decoration-1">
        <span className="sr-only">{`[${t('build.versions.removed')}: `}</span>
        {value}
        <span className="sr-only">]</span>
      </del>
    )
  if (added)
    return (
      <ins className="rounded-sm bg-good-ground text-good decoration-1 underline-offset-2">
        <span className="sr-only">{`[${t('build.versions.added')}: `}</span>
        {value}
        <span className="sr-only">]</span>
      </ins>
    )
  return value
}
