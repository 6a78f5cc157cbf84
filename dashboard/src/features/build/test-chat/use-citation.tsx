import { useCallback } from 'react'
import type { ChatCitation } from '#api/stream-chat.ts'
import { CitationLink } from './citation-link.tsx'
import { numberCitations } from './number-citations.ts'

/** Renders `[n]` in an answer as a link to the source that it cites. */
export function useCitation(citations: readonly ChatCitation[], answer: string) {
  return useCallback(
    (number: number) => {
      const citation = citations[numberCitations(answer, citations.length).indexOf(number)]
      if (citation === undefined) return null
      return <CitationLink citation={citation}>{`[${number}]`}</CitationLink>
    },
    [citations, answer],
  )
}
