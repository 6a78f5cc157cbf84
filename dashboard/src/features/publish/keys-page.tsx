import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMe } from '#api/me.ts'
import { useMay } from '#api/workspace.ts'
import { AgentKeys } from '#components/agent-keys.tsx'
import { CopyButton } from '#components/copy-button.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Card, Notice } from '#ui/surfaces.tsx'

/** /agents/{appId}/publish/catalog/keys */
export function AcpKeysPage() {
  const isEditor = useMay('editor')
  return (
    <div className="flex flex-col gap-6">
      <CardAddress />
      {isEditor ? <Keys /> : <Notice>{t('publish.keys.hidden')}</Notice>}
    </div>
  )
}

function Keys() {
  const agent = useAgent()
  const navigate = useNavigate()
  const { create: isCreating = false } = useSearch({ from: '/agents/$appId/publish/catalog/keys' })
  return (
    <AgentKeys
      kind="checkout"
      agentId={agent.id}
      isCreating={isCreating}
      onOpenForm={(open) =>
        void navigate({
          to: '/agents/$appId/publish/catalog/keys',
          params: { appId: agent.app_name_id },
          search: open ? { create: true } : {},
        })
      }
    />
  )
}

function CardAddress() {
  const { base_url: baseUrl } = useMe()
  const { app_name_id: appId } = useAgent()
  const address = `${baseUrl ?? location.origin}/acp/${appId}/.well-known/agent.json`
  return (
    <Card className="flex flex-wrap items-center justify-between gap-4">
      <div className="min-w-0">
        <h3 className="text-base font-semibold">{t('publish.keys.card')}</h3>
        <p className="font-mono text-sm break-all">{address}</p>
        <p className="mt-0.5 text-sm text-soft">{t('publish.keys.cardHint')}</p>
      </div>
      <CopyButton text={address} />
    </Card>
  )
}
