import { Link } from '@tanstack/react-router'
import { Search } from '#ui/icons.ts'
import type { OutputOf } from '#api/call-operation.ts'
import { useOperation } from '#api/use-operation.ts'
import { Markdown } from '#components/markdown.tsx'
import { EmptyState, ErrorState, LoadingRows } from '#components/states.tsx'
import { useAgent } from '#features/agents/index.ts'
import { passageEnds } from '#features/build/index.ts'
import { formatNumber } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Badge, Notice } from '#ui/surfaces.tsx'
import { WebAddress } from './web-address.tsx'

/** What a search finds, best first. */
export function FoundPassages({ query }: { readonly query: string }) {
  const agent = useAgent()
  const found = useOperation('search_knowledge', { app_id: agent.id, query, top_k: 10 })
  if (found.error !== null) return <ErrorState error={found.error} onRetry={found.refetch} />
  if (found.data === undefined) return <LoadingRows rows={3} />
  const { items, note } = found.data
  return (
    <>
      {note !== null && <Notice tone="warn">{note}</Notice>}
      {items.length === 0 ? (
        <EmptyState
          icon={Search}
          title={t('knowledge.search.none')}
          hint={t('knowledge.search.noneHint')}
        />
      ) : (
        <ol className="flex flex-col">
          {items.map((item, index) => (
            <li key={index} className="border-t border-line py-4">
              <FoundPassage item={item} />
            </li>
          ))}
        </ol>
      )}
    </>
  )
}

type Item = OutputOf<'search_knowledge'>['items'][number]

function FoundPassage({ item }: { readonly item: Item }) {
  const { app_name_id: appId } = useAgent()
  const place = [
    item.heading,
    item.page === null ? '' : t('knowledge.search.page', { page: item.page }),
  ]
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <Link
          to="/agents/$appId/knowledge/$sourceId"
          params={{ appId, sourceId: item.source_id }}
          search={passageEnds(item.passage)}
          className="font-medium hover:underline"
        >
          {item.title}
        </Link>
        <span className="text-[0.8125rem] text-soft">
          {place.filter((part) => part !== '').join(' · ')}
        </span>
      </p>
      {item.url !== null && <WebAddress address={item.url} />}
      <div className="mt-1 text-sm">
        <Markdown text={item.passage} />
      </div>
      <p className="mt-2 flex flex-wrap gap-2">
        <Badge tone="accent">
          {t('knowledge.search.score', { score: shortNumber(item.score) })}
        </Badge>
        <Why why={item.why} />
      </p>
    </>
  )
}

function Why({ why: { fulltext, vector } }: { readonly why: Item['why'] }) {
  return (
    <>
      {fulltext !== null && (
        <Badge>
          {fulltext.terms.length === 0
            ? t('knowledge.search.fulltext', { rank: fulltext.rank })
            : t('knowledge.search.terms', {
                rank: fulltext.rank,
                terms: fulltext.terms.slice(0, 6).join(', '),
              })}
        </Badge>
      )}
      {vector !== null && (
        <Badge>
          {t('knowledge.search.vector', {
            rank: vector.rank,
            similarity: shortNumber(vector.similarity),
          })}
        </Badge>
      )}
    </>
  )
}

function shortNumber(value: number): string {
  return formatNumber(value, { maximumSignificantDigits: 3 })
}
