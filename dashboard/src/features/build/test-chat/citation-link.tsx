import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ChatCitation } from '#api/stream-chat.ts'
import { useAgent } from '#features/agents/index.ts'
import { passageEnds } from './passage-ends.ts'

export interface CitationLinkProps {
  readonly citation: ChatCitation
  readonly children: ReactNode
}

/** A link to the source of a citation, at its passage. */
export function CitationLink({ citation, children }: CitationLinkProps) {
  const { app_name_id: appId } = useAgent()
  return (
    <Link
      to="/agents/$appId/knowledge/$sourceId"
      params={{ appId, sourceId: citation.source_id }}
      search={passageEnds(citation.passage)}
      title={citation.title}
      className="text-accent hover:underline"
    >
      {children}
    </Link>
  )
}
