import { Link } from '@tanstack/react-router'
import {
  CircleHelp,
  Ellipsis,
  File,
  FileText,
  Globe,
  Network,
  RefreshCw,
  Trash2,
} from '#ui/icons.ts'
import type { InputOf, ItemOf } from '#api/call-operation.ts'
import { FixLink } from '#components/error-text.tsx'
import { fixOfCode } from '#components/fix-of.ts'
import { useAgent } from '#features/agents/index.ts'
import { formatBytes, formatNext, formatPercent, formatRelative } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Menu, MenuChoice, MenuItem } from '#ui/menu.tsx'
import { Progress } from '#ui/progress.tsx'
import { Badge, Card } from '#ui/surfaces.tsx'
import { WebAddress } from './web-address.tsx'

export type Source = ItemOf<'list_knowledge_sources'>
export type RefreshEvery = NonNullable<InputOf<'refresh_knowledge_source'>['refresh_every']>

export const refreshChoices = ['never', 'hour', 'day', 'week', 'month'] as const

const icons = {
  text: FileText,
  file: File,
  url: Globe,
  sitemap: Network,
  answer: CircleHelp,
} as const
const tones = {
  queued: 'neutral',
  processing: 'accent',
  ready: 'good',
  partial: 'warn',
  failed: 'bad',
} as const

export interface SourceRowProps {
  readonly source: Source
  readonly mayChange: boolean
  onRefresh(every?: RefreshEvery): void
  onDelete(): void
}

/** A source with its progress and errors. */
export function SourceRow(props: SourceRowProps) {
  const { source, mayChange, onRefresh, onDelete } = props
  const { app_name_id: appId } = useAgent()
  const Icon = icons[source.kind]
  return (
    <div className="flex gap-3.5 border-t border-line py-4">
      <Icon className="mt-0.5 size-5 shrink-0 text-soft" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to="/agents/$appId/knowledge/$sourceId"
            params={{ appId, sourceId: source.id }}
            className="min-w-0 font-medium break-words hover:underline"
          >
            {source.title}
          </Link>
          <Badge tone={tones[source.status]}>{t(`knowledge.status.${source.status}`)}</Badge>
        </p>
        <SourceFacts source={source} />
        <SourceProblem source={source} />
      </div>
      {mayChange && <SourceMenu source={source} onRefresh={onRefresh} onDelete={onDelete} />}
    </div>
  )
}

/** Whether the source is still being read. */
export function isBeingRead({ status }: Source): boolean {
  return status === 'queued' || status === 'processing'
}

interface SourceProps {
  readonly source: Source
}

/** The status, origin and progress of a source on its own page. */
export function SourceState({ source }: SourceProps) {
  return (
    <Card>
      <Badge tone={tones[source.status]}>{t(`knowledge.status.${source.status}`)}</Badge>
      <SourceFacts source={source} />
      <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
        {source.filename !== null && source.filename !== source.title && (
          <span className="break-all">{source.filename}</span>
        )}
        <span>{t('knowledge.source.addedAt', { when: formatRelative(source.created_at) })}</span>
      </p>
      <SourceProblem source={source} />
    </Card>
  )
}

function SourceProblem({ source }: SourceProps) {
  const { error, status } = source
  const fix = error === null ? null : fixOfCode(error.code)
  return (
    <>
      {isBeingRead(source) && <SourceProgress source={source} />}
      {error !== null && (
        <p className={status === 'failed' ? 'mt-1 text-sm text-bad' : 'mt-1 text-sm text-warn'}>
          {error.message} {fix !== null && <FixLink fix={fix} />}
        </p>
      )}
    </>
  )
}

function SourceFacts({ source }: SourceProps) {
  const isSite = source.kind === 'url' || source.kind === 'sitemap'
  return (
    <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
      <span>{t(`knowledge.kinds.${source.kind}`)}</span>
      {source.url !== null && source.url !== source.title && <WebAddress address={source.url} />}
      {source.bytes > 0 && <span>{formatBytes(source.bytes)}</span>}
      {isSite && source.document_count > 0 && (
        <span>{t('knowledge.documents', { count: source.document_count })}</span>
      )}
      {source.chunk_count > 0 && (
        <span>{t('knowledge.chunks', { count: source.chunk_count })}</span>
      )}
      {source.last_indexed_at !== null && (
        <span>{t('knowledge.readAt', { when: formatRelative(source.last_indexed_at) })}</span>
      )}
      {source.next_refresh_at !== null && (
        <span>{t('knowledge.nextRead', { when: formatNext(source.next_refresh_at) })}</span>
      )}
    </p>
  )
}

function SourceProgress({ source }: { readonly source: Source }) {
  const stage = stageText(source)
  return (
    <div className="mt-2 flex max-w-md items-center gap-3">
      <Progress
        label={`${stage}: ${source.title}`}
        part={source.status === 'queued' ? null : source.progress / 100}
      />
      <span className="shrink-0 text-[0.8125rem] text-soft">
        {source.status === 'queued' ? stage : `${stage} ${formatPercent(source.progress / 100)}`}
      </span>
    </div>
  )
}

function stageText({ status, stage }: Source): string {
  if (status === 'queued' && stage === null) return t('knowledge.status.queued')
  switch (stage) {
    case 'reading':
    case 'storing':
    case 'embedding':
    case 'retrying':
      return t(`knowledge.stages.${stage}`)
    default:
      return t('knowledge.stages.working')
  }
}

function SourceMenu({ source, onRefresh, onDelete }: Omit<SourceRowProps, 'mayChange'>) {
  // A text has no origin that could change, so reading it again only helps after a failure.
  const isText = source.kind === 'text' || source.kind === 'answer'
  const isRead = !isText || source.status === 'failed' || source.status === 'partial'
  return (
    <Menu
      trigger={
        <Button
          look="quiet"
          size="icon"
          aria-label={t('knowledge.menu', { title: source.title })}
          className="shrink-0"
        >
          <Ellipsis aria-hidden />
        </Button>
      }
    >
      {isRead && (
        <MenuItem onSelect={() => onRefresh()}>
          <RefreshCw aria-hidden />
          {t('knowledge.refreshNow')}
        </MenuItem>
      )}
      {(source.kind === 'url' || source.kind === 'sitemap') && (
        <MenuChoice<RefreshEvery>
          label={t('knowledge.pagesForm.refresh')}
          value={source.refresh_every ?? 'never'}
          choices={refreshChoices.map((value) => ({
            value,
            label: t(`knowledge.refreshEvery.${value}`),
          }))}
          onChange={onRefresh}
        />
      )}
      <MenuItem danger onSelect={onDelete}>
        <Trash2 aria-hidden />
        {t('knowledge.delete')}
      </MenuItem>
    </Menu>
  )
}
