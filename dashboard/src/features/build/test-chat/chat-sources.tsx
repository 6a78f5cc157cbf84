import { ExternalLink } from '#ui/icons.ts'
import type { ChatCitation } from '#api/stream-chat.ts'
import { formatNumber } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { CitationLink } from './citation-link.tsx'
import { numberCitations } from './number-citations.ts'
import { safeAddress } from './safe-address.ts'

export interface ChatSourcesProps {
  readonly citations: readonly ChatCitation[]
  /** The answer, whose numbers the citations have. */
  readonly answer: string
}

/** The citations of an answer, each with its passage. */
export function ChatSources({ citations, answer }: ChatSourcesProps) {
  const numbers = numberCitations(answer, citations.length)
  return (
    <details className="group rounded-xl border border-line">
      <summary className="cursor-pointer rounded-xl px-3 py-2 text-xs font-medium text-soft hover:text-ink">
        {t('build.chat.sources', { count: citations.length })}
      </summary>
      <ol className="divide-y divide-line border-t border-line">
        {citations.map((citation, index) => (
          <li key={index} className="px-3 py-2.5">
            <Title citation={citation} number={numbers[index] ?? index + 1} />
            <p className="mt-0.5 text-xs text-soft tabular-nums">
              {t('build.chat.score', {
                score: formatNumber(citation.score, { maximumSignificantDigits: 3 }),
              })}
            </p>
            <p className="mt-1 line-clamp-6 text-xs break-words whitespace-pre-wrap text-soft">
              {citation.passage}
            </p>
          </li>
        ))}
      </ol>
    </details>
  )
}

interface TitleProps {
  readonly citation: ChatCitation
  readonly number: number
}

function Title({ citation, number }: TitleProps) {
  const { title, heading, page, url } = citation
  const place = [
    heading === '' || heading === title ? null : heading,
    page === null ? null : t('build.chat.page', { page }),
  ].filter((one) => one !== null)
  const address = safeAddress(url)
  return (
    <p className="flex items-start gap-2 text-[0.8125rem] font-medium">
      <span className="text-soft tabular-nums">{`[${number}]`}</span>
      <span className="min-w-0 flex-1 break-words">
        <CitationLink citation={citation}>{title}</CitationLink>
        {place.length > 0 && (
          <span className="block text-xs font-normal text-soft">{place.join(' · ')}</span>
        )}
      </span>
      {address !== null && (
        <a
          href={address}
          target="_blank"
          rel="noopener noreferrer nofollow"
          aria-label={t('build.chat.open', { title })}
          className="-m-1 rounded-md p-1.5 text-accent hover:bg-hover"
        >
          <ExternalLink className="size-3.5" aria-hidden />
        </a>
      )}
    </p>
  )
}
