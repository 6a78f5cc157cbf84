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
import { Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Card, CardHeading, Notice } from '#ui/surfaces.tsx'
import { Switch } from '#ui/switch.tsx'
import { notify } from '#ui/toast.tsx'
import { ModerationFields } from './moderation-fields.tsx'
import { AddressFields } from './address-fields.tsx'
import { PagePreview } from './page-preview.tsx'
import { ChatPageLimits, ChatPageLooks, settingsOf, type ChatPage } from './chat-page-fields.tsx'

/** The public chat page of the agent, for its editors. */
export function ChatPageCard() {
  const agent = useAgent()
  const page = useOperation('get_chat_page', { app_id: agent.id })
  if (page.error !== null) return <ErrorState error={page.error} onRetry={page.refetch} />
  if (page.data === undefined) return <LoadingRows />
  return <ChatPageForm page={page.data} />
}

function ChatPageForm({ page }: { readonly page: ChatPage }) {
  const { app_id, url } = page
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
      <CardHeading title={t('chatPage.title')} hint={t('chatPage.hint')} />
      <form onSubmit={submit} className="flex flex-col gap-5">
        {plan === 'free' && <Notice tone="warn">{t('chatPage.freePlan')}</Notice>}
        <Switch
          label={t('chatPage.enabled')}
          hint={t('chatPage.enabledHint')}
          checked={value.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        {page.enabled && <Address url={url} />}
        {page.enabled && <PagePreview page={page} />}
        {value.enabled && (
          <>
            <Access value={value.access} onChange={(access) => change({ access })} />
            <Switch
              label={t('chatPage.paused')}
              hint={t('chatPage.pausedHint')}
              checked={value.paused}
              onChange={(paused) => change({ paused })}
            />
            <AddressFields value={value} page={page} change={change} />
            <ChatPageLooks value={value} page={page} change={change} />
            <ChatPageLimits value={value} change={change} />
            <ModerationFields value={value} change={change} />
          </>
        )}
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
      {page.enabled && <EndVisits appId={app_id} />}
    </Card>
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
