import type { FormEvent } from 'react'
import { useOperation, useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { CopyButton } from '#components/copy-button.tsx'
import { ErrorText } from '#components/error-text.tsx'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { useDraft } from '#components/use-draft.ts'
import { useLeaveWarning } from '#components/use-leave-warning.ts'
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
  settingsOf,
  type ChatPage,
  type FieldsProps,
} from './chat-page-fields.tsx'
import { LookFields } from './look-fields.tsx'
import { LookPreview } from './look-preview.tsx'
import { WidgetIdentity } from './widget-identity.tsx'

/** What a page of *Share* shows of the chat page. */
type Part = 'page' | 'look' | 'visitors'

/** A part of the public chat page of the agent, for its editors. */
export function ChatPageCard({ part }: { readonly part: Part }) {
  const agent = useAgent()
  const page = useOperation('get_chat_page', { app_id: agent.id })
  if (page.error !== null) return <ErrorState error={page.error} onRetry={page.refetch} />
  if (page.data === undefined) return <LoadingRows />
  return <ChatPageForm page={page.data} part={part} />
}

/** One draft for all parts: what is changed in one is still there in the others. */
function ChatPageForm({ page, part }: { readonly page: ChatPage; readonly part: Part }) {
  const { app_id } = page
  const { value, change, isChanged, clear } = useDraft(`chat-page ${app_id}`, settingsOf(page))
  const { plan } = useWorkspace()
  const save = useOperationMutation('update_chat_page', {
    refreshes: ['get_chat_page'],
    onSuccess() {
      clear()
      notify({ title: t('chatPage.saved') })
    },
  })
  useLeaveWarning(isChanged && !save.isPending)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ app_id, ...value })
  }
  return (
    <Card>
      <CardHeading title={t(`chatPage.parts.${part}`)} hint={t(`chatPage.parts.${part}Hint`)} />
      <form onSubmit={submit} className="flex flex-col gap-5">
        {plan === 'free' && <Notice tone="warn">{t('chatPage.freePlan')}</Notice>}
        {part === 'page' && <PageFields value={value} page={page} change={change} />}
        {part === 'look' && <LookPart value={value} page={page} change={change} />}
        {part === 'visitors' && <VisitorFields value={value} change={change} />}
        {save.error !== null && (
          <Notice tone="bad">
            <ErrorText error={save.error} />
          </Notice>
        )}
        <div className="flex flex-wrap items-center justify-end gap-3">
          {isChanged && <span className="text-sm text-soft">{t('chatPage.unsaved')}</span>}
          <Button look="primary" type="submit" busy={save.isPending} disabled={!isChanged}>
            {t('common.save')}
          </Button>
        </div>
      </form>
      {part === 'visitors' && page.widget_key !== null && <WidgetIdentity page={page} />}
      {part === 'visitors' && page.enabled && <EndVisits appId={app_id} />}
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
      <Switch
        label={t('chatPage.paused')}
        hint={t('chatPage.pausedHint')}
        checked={value.paused}
        onChange={(paused) => change({ paused })}
      />
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
