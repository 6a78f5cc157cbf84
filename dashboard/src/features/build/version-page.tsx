import { useNavigate, useParams } from '@tanstack/react-router'
import { Equal, RotateCcw } from '#ui/icons.ts'
import { useOperation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { EmptyState, ErrorState, LoadingRows } from '#components/states.tsx'
import { useAgent, type Agent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/surfaces.tsx'
import { BackLink } from './back-link.tsx'
import { settingRows } from './setting-rows.ts'
import { TextDiff } from './text-diff.tsx'
import { useRollBack } from './use-roll-back.ts'

/** /agents/{appId}/build/versions/{version} */
export function VersionPage() {
  const agent = useAgent()
  const mayChange = useMay('editor')
  const navigate = useNavigate()
  const { version: written } = useParams({ from: '/agents/$appId/build/versions/$version' })
  const version = Number(written)
  const params = { appId: agent.app_name_id }
  const earlier = useOperation('get_app', { app_id: agent.id, version })
  const rollBack = useRollBack(() => void navigate({ to: '/agents/$appId/build/versions', params }))
  const title = t('build.versions.diffTitle', { version: written })
  return (
    <>
      <BackLink link={{ to: '/agents/$appId/build/versions', params }}>
        {t('build.versions.back')}
      </BackLink>
      <PageHeading
        title={title}
        hint={t('build.versions.diffHint', { version: written, live: agent.version })}
        documentTitle={`${title} · ${agent.name}`}
        actions={
          mayChange &&
          earlier.data !== undefined &&
          version !== agent.version && (
            <Button busy={rollBack.isBusy} onClick={() => rollBack.to(version)}>
              <RotateCcw aria-hidden />
              {t('build.versions.rollBack')}
            </Button>
          )
        }
      />
      {earlier.error !== null ? (
        <ErrorState error={earlier.error} onRetry={() => earlier.refetch()} />
      ) : earlier.data === undefined ? (
        <LoadingRows />
      ) : (
        <Differences earlier={earlier.data} live={agent} />
      )}
    </>
  )
}

function Differences({ earlier, live }: { readonly earlier: Agent; readonly live: Agent }) {
  const now = settingRows(live)
  const changed = settingRows(earlier).flatMap((before) => {
    const after = now.find(({ key }) => key === before.key)
    return after === undefined || after.text === before.text ? [] : [{ before, after }]
  })
  if (changed.length === 0)
    return (
      <EmptyState
        icon={Equal}
        title={t('build.versions.same')}
        hint={t('build.versions.sameHint')}
      />
    )
  return (
    <Card>
      <p className="mb-4 text-sm text-soft">
        {t('build.versions.changed', { count: changed.length })}
      </p>
      <dl className="flex flex-col gap-5">
        {changed.map(({ before, after }) => (
          <div key={before.key}>
            <dt className="mb-1.5 text-sm font-medium">{before.label}</dt>
            <dd>
              <TextDiff
                label={before.label}
                before={before.text}
                after={after.text}
                isProse={before.isProse}
              />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
