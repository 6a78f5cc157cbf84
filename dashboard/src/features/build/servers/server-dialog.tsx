import { useState, type FormEvent } from 'react'
import { useOperationMutation } from '#api/use-operation.ts'
import { ErrorText } from '#components/error-text.tsx'
import { useDraft } from '#components/use-draft.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { commaList } from '../comma-list.ts'

/** Adds a remote MCP server. The service lists its tools first. */
export function ServerDialog({ onClose }: { onClose(): void }) {
  const agent = useAgent()
  const form = useServerForm(agent.id)
  const { value, change } = form
  const add = useOperationMutation('add_mcp_server', {
    refreshes: ['list_mcp_servers'],
    onSuccess({ name, tools }) {
      form.clear()
      notify({ title: t('build.servers.added', { name, count: tools.length }) })
      onClose()
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    const only = commaList(value.only)
    add.mutate({
      app_id: agent.id,
      name: value.name.trim(),
      url: value.url.trim(),
      headers: headersOf(value),
      allowed_tools: only.length === 0 ? null : only,
      requires_confirmation: value.confirms,
    })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('build.servers.addTitle')}
      closeLabel={t('common.close')}
    >
      <form onSubmit={submit} className="flex flex-col gap-5">
        <Where value={value} change={change} issueOf={(field) => add.error?.issueOf(field)} />
        <Credentials value={value} change={change} />
        <Field label={t('build.servers.only')} hint={t('build.servers.onlyHint')}>
          <Input
            value={value.only}
            onChange={(event) => change({ only: event.currentTarget.value })}
          />
        </Field>
        <Checkbox
          label={t('build.servers.confirm')}
          checked={value.confirms}
          onChange={(confirms) => change({ confirms })}
        />
        {add.error !== null && (
          <Notice tone="bad">
            <ErrorText error={add.error} />
          </Notice>
        )}
        {add.isPending && (
          <p role="status" className="text-sm text-soft">
            {t('build.servers.adding')}
          </p>
        )}
        <DialogActions>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" busy={add.isPending}>
            {t('build.servers.add')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const blank = { name: '', url: '', headerName: '', only: '', confirms: false }
const noSecrets = { token: '', headerValue: '' }
type Typed = typeof blank & typeof noSecrets

interface PartProps {
  readonly value: Typed
  change(part: Partial<Typed>): void
}

/** The draft contains everything except secrets. */
function useServerForm(agentId: string) {
  const draft = useDraft(`mcp-server ${agentId}`, blank)
  const [secrets, setSecrets] = useState(noSecrets)
  return {
    value: { ...draft.value, ...secrets },
    change({ token, headerValue, ...part }: Partial<Typed>) {
      if (Object.keys(part).length > 0) draft.change(part)
      if (token !== undefined) setSecrets({ ...secrets, token })
      if (headerValue !== undefined) setSecrets({ ...secrets, headerValue })
    },
    clear: draft.clear,
  }
}

function headersOf({ token, headerName, headerValue }: Typed) {
  return {
    ...(token.trim() === '' ? {} : { Authorization: `Bearer ${token.trim()}` }),
    ...(headerName.trim() === '' ? {} : { [headerName.trim()]: headerValue }),
  }
}

function Where({
  value,
  change,
  issueOf,
}: PartProps & { issueOf(field: string): string | undefined }) {
  return (
    <>
      <Field
        label={t('build.servers.name')}
        hint={t('build.servers.nameHint')}
        error={issueOf('name')}
      >
        <Input
          required
          pattern="[a-z][a-z0-9\-]{0,19}"
          placeholder="tracker"
          value={value.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
      </Field>
      <Field label={t('build.servers.url')} error={issueOf('url')}>
        <Input
          type="url"
          required
          maxLength={2000}
          placeholder="https://mcp.example.com/mcp"
          value={value.url}
          onChange={(event) => change({ url: event.currentTarget.value })}
        />
      </Field>
    </>
  )
}

function Credentials({ value, change }: PartProps) {
  return (
    <>
      <Field
        label={`${t('build.servers.token')} (${t('common.optional')})`}
        hint={t('build.servers.tokenHint')}
      >
        <Input
          type="password"
          autoComplete="new-password"
          value={value.token}
          onChange={(event) => change({ token: event.currentTarget.value })}
        />
      </Field>
      <fieldset className="grid min-w-0 gap-2 sm:grid-cols-2">
        <legend className="mb-1.5 text-sm font-medium">
          {`${t('build.servers.header')} (${t('common.optional')})`}
        </legend>
        <Input
          aria-label={t('build.servers.headerName')}
          placeholder="X-Api-Key"
          maxLength={200}
          value={value.headerName}
          onChange={(event) => change({ headerName: event.currentTarget.value })}
        />
        <Input
          type="password"
          autoComplete="new-password"
          aria-label={t('build.servers.headerValue')}
          maxLength={8000}
          value={value.headerValue}
          onChange={(event) => change({ headerValue: event.currentTarget.value })}
        />
      </fieldset>
    </>
  )
}
