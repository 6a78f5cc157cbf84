import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMe } from '#api/me.ts'
import { useOperation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { AgentKeys } from '#components/agent-keys.tsx'
import { CopyButton } from '#components/copy-button.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Card, CardHeading, Notice } from '#ui/surfaces.tsx'
import { SnippetTabs } from './snippet-tabs.tsx'

const placeholder = 'YOUR_KEY'

/** /agents/{appId}/share/api */
export function ApiPage() {
  const { plan } = useWorkspace()
  const isEditor = useMay('editor')
  const values = { ...useAddress(), question: useQuestion() }
  return (
    <>
      {plan === 'free' && (
        <Notice tone="warn" title={t('share.freePlan')}>
          {t('share.freePlanHint')}
        </Notice>
      )}
      <Card className="grid gap-x-8 gap-y-5 md:grid-cols-2">
        <Value label={t('share.address')} hint={t('share.addressHint')} value={values.baseUrl} />
        <Value label={t('share.model')} hint={t('share.modelHint')} value={values.model} />
      </Card>
      {isEditor ? <Keys /> : <Notice>{t('share.keys.hidden')}</Notice>}
      <Card>
        <CardHeading title={t('share.snippets')} hint={t('share.snippetsHint', { placeholder })} />
        <SnippetTabs {...values} apiKey={placeholder} />
      </Card>
    </>
  )
}

function useAddress() {
  const { base_url: baseUrl } = useMe()
  const { app_name_id: model } = useAgent()
  return { baseUrl: `${baseUrl ?? location.origin}/api/v1`, model }
}

/**
 * A question that the agent can answer, even if its model only quotes the agent's knowledge: one that
 * its editor suggests, or about its newest source.
 */
function useQuestion(): string {
  const { id, suggestions } = useAgent()
  const sources = useOperation('list_knowledge_sources', { app_id: id, limit: 1 })
  const title = sources.data?.items[0]?.title ?? ''
  const about = title === '' ? t('share.question') : t('share.questionAbout', { title })
  return suggestions[0] ?? about
}

function Keys() {
  const agent = useAgent()
  const question = useQuestion()
  const navigate = useNavigate()
  const address = useAddress()
  const { create: isCreating = false } = useSearch({ from: '/agents/$appId/share' })
  return (
    <AgentKeys
      kind="chat"
      agentId={agent.id}
      isCreating={isCreating}
      onOpenForm={(open) =>
        void navigate({
          to: '/agents/$appId/share/api',
          params: { appId: agent.app_name_id },
          search: (before) => ({ ...before, create: open ? true : undefined }),
        })
      }
      renderNext={(key) => (
        <section className="mt-6">
          <h3 className="font-medium">{t('share.tryTitle')}</h3>
          <p className="mb-3 text-sm text-soft">{t('share.tryHint')}</p>
          <SnippetTabs {...address} apiKey={key} question={question} />
        </section>
      )}
    />
  )
}

function Value(props: { readonly label: string; readonly hint: string; readonly value: string }) {
  const { label, hint, value } = props
  return (
    <div className="flex min-w-0 items-center justify-between gap-4">
      <div className="min-w-0">
        <h2 className="text-base font-semibold">{label}</h2>
        <p className="font-mono text-sm break-all">{value}</p>
        <p className="mt-0.5 text-sm text-soft">{hint}</p>
      </div>
      <CopyButton text={value} label={label} />
    </div>
  )
}
