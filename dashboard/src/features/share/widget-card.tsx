import { useMe } from '#api/me.ts'
import { useOperation, useOperationMutation } from '#api/use-operation.ts'
import { CodeBlock } from '#components/code-block.tsx'
import { ErrorNotice } from '#components/error-notice.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Card, CardHeading, Notice } from '#ui/surfaces.tsx'
import type { ChatPage } from './chat-page-fields.tsx'
import { PausePage } from './pause-page.tsx'
import { ShareForm } from './share-form.tsx'
import { WidgetFields } from './widget-fields.tsx'
import { WidgetSites } from './widget-sites.tsx'

/** The widget of the agent, for its editors. */
export function WidgetCard() {
  const agent = useAgent()
  const { data: page } = useOperation('get_chat_page', { app_id: agent.id })
  if (page === undefined) return null
  const isOpen = page.enabled && page.access === 'public' && page.widget_key !== null
  return (
    <Card>
      <CardHeading title={t('widget.title')} hint={t('widget.hint')} />
      {isOpen && page.paused && (
        <div className="mb-5">
          <PausePage page={page} />
        </div>
      )}
      {isOpen ? <WidgetForm page={page} /> : <Notice>{t('widget.off')}</Notice>}
    </Card>
  )
}

function WidgetForm({ page }: { readonly page: ChatPage }) {
  const { app_id, widget_key, widget_origins } = page
  const tag = useTag(widget_key ?? '')
  return (
    <>
      <ShareForm page={page}>{(fields) => <WidgetFields {...fields} />}</ShareForm>
      <section className="mt-6 border-t border-line pt-5">
        <h3 className="text-sm font-semibold">{t('widget.snippet')}</h3>
        {widget_origins.length === 0 ? (
          <p className="text-sm text-soft">{t('widget.snippetLater')}</p>
        ) : (
          <>
            <p className="mb-3 text-sm text-soft">{t('widget.snippetHint')}</p>
            <CodeBlock code={tag} label={t('widget.snippetLabel')} />
          </>
        )}
      </section>
      <LocalPass appId={app_id} widgetKey={widget_key ?? ''} />
      <WidgetSites appId={app_id} />
    </>
  )
}

function useTag(key: string, pass?: string): string {
  const { base_url: baseUrl } = useMe()
  const editor = pass === undefined ? '' : ` data-editor="${pass}"`
  return `<script async src="${baseUrl ?? location.origin}/chat-assets/widget.js" data-key="${key}"${editor}></script>`
}

/** Lets an editor try the widget on their own computer. */
function LocalPass({ appId, widgetKey }: { readonly appId: string; readonly widgetKey: string }) {
  const create = useOperationMutation('create_widget_pass')
  const tag = useTag(widgetKey, create.data?.pass ?? '')
  return (
    <section className="mt-6 flex flex-col gap-3 border-t border-line pt-5">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="text-sm font-semibold">{t('widget.local')}</h3>
          <p className="text-sm text-soft">{t('widget.localHint')}</p>
        </div>
        <Button busy={create.isPending} onClick={() => create.mutate({ app_id: appId })}>
          {t('widget.pass')}
        </Button>
      </div>
      {create.data !== undefined && <CodeBlock code={tag} label={t('widget.passLabel')} />}
      <ErrorNotice error={create.error} />
    </section>
  )
}
