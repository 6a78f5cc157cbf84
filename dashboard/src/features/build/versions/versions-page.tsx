import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { GitCompare, History, RotateCcw } from '#ui/icons.ts'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationList } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { ListStates } from '#components/states.tsx'
import { Time } from '#components/time.tsx'
import { VirtualList } from '#components/virtual-list.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge, Card } from '#ui/surfaces.tsx'
import { RestoreDialog } from './restore-dialog.tsx'

type Version = ItemOf<'list_app_versions'>

/** /agents/{appId}/build/versions */
export function VersionsPage() {
  const agent = useAgent()
  const versions = useOperationList('list_app_versions', { app_id: agent.id, limit: 50 })
  return (
    <>
      <PageHeading
        title={t('build.versions.title')}
        hint={t('build.versions.hint')}
        documentTitle={`${t('build.versions.title')} · ${agent.name}`}
      />
      <ListStates list={versions}>
        <Card className="py-1 sm:py-1">
          <VirtualList
            label={t('build.versions.list')}
            items={versions.items}
            keyOf={({ version }) => String(version)}
            rowPixels={92}
            onEnd={versions.onEnd}
          >
            {(version) => <VersionRow version={version} />}
          </VirtualList>
        </Card>
      </ListStates>
    </>
  )
}

function VersionRow({ version: one }: { readonly version: Version }) {
  const agent = useAgent()
  const mayChange = useMay('editor')
  const [isRestoring, setRestoring] = useState(false)
  const { version } = one
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line in-data-[index=0]:border-t-0 py-4">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <History className="size-4 text-soft" aria-hidden />
          {t('build.versions.number', { version })}
          {one.current && <Badge tone="good">{t('build.versions.live')}</Badge>}
        </p>
        <p className="mt-0.5 text-sm break-words">
          {one.note ?? <span className="text-soft">{t('build.versions.noNote')}</span>}
        </p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          <Time value={one.created_at} relative />
          <span>{t('build.versions.by', { name: one.author.name })}</span>
          <span className="font-mono">{one.model}</span>
        </p>
      </div>
      {!one.current && (
        <div className="flex flex-wrap gap-2">
          <Button
            size="small"
            aria-label={t('build.versions.compareLabel', { version })}
            render={
              <Link
                to="/agents/$appId/build/versions/$version"
                params={{ appId: agent.app_name_id, version: String(version) }}
              />
            }
          >
            <GitCompare aria-hidden />
            {t('build.versions.compare')}
          </Button>
          {mayChange && (
            <Button
              size="small"
              aria-label={t('build.versions.rollBackLabel', { version })}
              onClick={() => setRestoring(true)}
            >
              <RotateCcw aria-hidden />
              {t('build.versions.rollBack')}
            </Button>
          )}
        </div>
      )}
      <RestoreDialog version={version} open={isRestoring} onOpenChange={setRestoring} />
    </div>
  )
}
