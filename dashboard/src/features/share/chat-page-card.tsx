import { useOperation, useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { CopyButton } from '#components/copy-button.tsx'
import { ErrorText } from '#components/error-text.tsx'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Card, CardHeading, Notice } from '#ui/surfaces.tsx'
import { Switch } from '#ui/switch.tsx'
import { notify } from '#ui/toast.tsx'
import { ModerationFields } from './moderation-fields.tsx'
import { AddressFields } from './address-fields.tsx'
import { PagePreview } from './page-preview.tsx'
import {
  ChatPageLimits,
  ChatPageLooks,
  PageLinks,
  type ChatPage,
  type FieldsProps,
} from './chat-page-fields.tsx'
import { LookFields } from './look-fields.tsx'
import { LookPreview } from './look-preview.tsx'
import { PausePage } from './pause-page.tsx'
import { ShareForm } from './share-form.tsx'
import { WidgetIdentity } from './widget-identity.tsx'

/** What a page of *Share* shows of the chat page. */
type Part = 'page' | 'look' | 'visitors'

/** A part of the public chat page of the agent, for its editors. */
export function ChatPageCard({ part }: { readonly part: Part }) {
  const agent = useAgent()
  const page = useOperation('get_chat_page', { app_id: agent.id })
  if (page.error !== null) return <ErrorState error={page.error} onRetry={page.refetch} />
  if (page.data === undefined) return <LoadingRows />
  return <Form page={page.data} part={part} />
}

function Form({ page, part }: { readonly page: ChatPage; readonly part: Part }) {
  const { plan } = useWorkspace()
  return (
    <Card>
      <CardHeading title={t(`chatPage.parts.${part}`)} hint={t(`chatPage.parts.${part}Hint`)} />
      {part !== 'look' && page.enabled && (
        <div className="mb-5">
          <PausePage page={page} />
        </div>
      )}
      <ShareForm page={page}>
        {(fields) => (
          <>
            {plan === 'free' && <Notice tone="warn">{t('chatPage.freePlan')}</Notice>}
            {part === 'page' && <PageFields {...fields} page={page} />}
            {part === 'look' && <LookPart {...fields} page={page} />}
            {part === 'visitors' && <VisitorFields {...fields} />}
          </>
        )}
      </ShareForm>
      {part === 'visitors' && page.widget_key !== null && <WidgetIdentity page={page} />}
      {part === 'visitors' && page.enabled && <EndVisits appId={page.app_id} />}
    </Card>
  )
}

type PartProps = FieldsProps & { readonly page: ChatPage }

/** Whether there is a page, where, and for whom. */
function PageFields({ value, page, change }: PartProps) {
  return (
    <>
      <Switch
        label={t('chatPage.enabled')}
        hint={t('chatPage.enabledHint')}
        checked={value.enabled}
        onChange={(enabled) => change({ enabled })}
      />
      {page.enabled && <Address url={page.url} />}
      {page.enabled && <PagePreview page={page} />}
      {value.enabled && (
        <>
          <Access value={value.access} onChange={(access) => change({ access })} />
          <AddressFields value={value} page={page} change={change} />
          <PageLinks value={value} change={change} />
          <Switch
            label={t('chatPage.indexable')}
            checked={value.indexable}
            onChange={(indexable) => change({ indexable })}
          />
        </>
      )}
    </>
  )
}

function LookPart({ value, page, change }: PartProps) {
  return (
    <div className="grid gap-8 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-8">
        <ChatPageLooks value={value} change={change} />
        <LookFields value={value} change={change} />
      </div>
      <div className="min-w-0 lg:sticky lg:top-4 lg:self-start">
        <LookPreview value={value} page={page} />
      </div>
    </div>
  )
}

/** What visitors may do. */
function VisitorFields({ value, change }: FieldsProps) {
  return (
    <>
      <ChatPageLimits value={value} change={change} />
      <ModerationFields value={value} change={change} />
      <Field label={t('widget.jwks')} hint={t('widget.jwksHint')}>
        <Input
          type="url"
          value={value.identity_jwks_url}
          onChange={(event) => change({ identity_jwks_url: event.currentTarget.value })}
        />
      </Field>
    </>
  )
}

function Address({ url }: { readonly url: string }) {
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-2">
      <p className="min-w-0 font-mono text-sm break-all">{url}</p>
      <CopyButton text={url} label={t('chatPage.address')} />
      <a
        href={url}
        target="_blank"
        rel="noreferrer"
        className="text-sm text-accent underline underline-offset-2"
      >
        {t('chatPage.open')}
      </a>
    </div>
  )
}

const accesses = ['public', 'link', 'members', 'openid'] as const

function Access(props: {
  readonly value: ChatPage['access']
  onChange(value: ChatPage['access']): void
}) {
  return (
    <Field label={t('chatPage.access.label')} className="max-w-96">
      <Select
        choices={accesses.map((value) => ({
          value,
          label: t(`chatPage.access.${value}`),
          hint: t(`chatPage.access.${value}Hint`),
        }))}
        value={props.value}
        onChange={(value) => props.onChange(value)}
      />
    </Field>
  )
}

function EndVisits({ appId }: { readonly appId: string }) {
  const end = useOperationMutation('end_chat_visits', {
    refreshes: ['get_chat_page'],
    onSuccess: () => notify({ title: t('chatPage.ended') }),
  })
  return (
    <div className="mt-6 flex flex-wrap items-center justify-between gap-4 border-t border-line pt-5">
      <p className="max-w-prose min-w-0 flex-1 basis-72 text-sm text-soft">
        {t('chatPage.endHint')}
      </p>
      <Button busy={end.isPending} onClick={() => end.mutate({ app_id: appId })}>
        {t('chatPage.end')}
      </Button>
      {end.error !== null && (
        <Notice tone="bad">
          <ErrorText error={end.error} />
        </Notice>
      )}
    </div>
  )
}
