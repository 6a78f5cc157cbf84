import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { RotateCcw } from '#ui/icons.ts'
import { useOperation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/surfaces.tsx'
import { BackLink } from '#components/back-link.tsx'
import { Differences } from './differences.tsx'
import { RestoreDialog } from './restore-dialog.tsx'

/** /agents/{appId}/build/versions/{version} */
export function VersionPage() {
  const agent = useAgent()
  const mayChange = useMay('editor')
  const navigate = useNavigate()
  const { version: written } = useParams({ from: '/agents/$appId/build/versions/$version' })
  const version = Number(written)
  const params = { appId: agent.app_name_id }
  const earlier = useOperation('get_app', { app_id: agent.id, version })
  const [isRestoring, setRestoring] = useState(false)
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
            <Button onClick={() => setRestoring(true)}>
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
        <Card>
          <Differences before={earlier.data} after={agent} />
        </Card>
      )}
      <RestoreDialog
        version={version}
        open={isRestoring}
        onOpenChange={setRestoring}
        onDone={() => void navigate({ to: '/agents/$appId/build/versions', params })}
      />
    </>
  )
}
