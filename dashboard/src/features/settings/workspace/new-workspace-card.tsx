import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { useRefreshMe } from '#api/me.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { ErrorText } from '#components/error-text.tsx'
import { useDraft } from '#components/use-draft.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'

export interface NewWorkspaceCardProps {
  readonly title: string
  readonly hint: string
}

/** Creates a workspace and opens it. */
export function NewWorkspaceCard({ title, hint }: NewWorkspaceCardProps) {
  const navigate = useNavigate()
  const refreshMe = useRefreshMe()
  const draft = useDraft('workspace-new', { name: '' })
  const create = useOperationMutation('create_workspace', {
    refreshes: ['list_workspaces'],
    async onSuccess({ id, name }) {
      await refreshMe()
      draft.clear()
      notify({ title: t('settings.workspace.created', { name }) })
      await navigate({ to: '/agents', search: { workspace: id } })
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    create.mutate(draft.value)
  }
  return (
    <Card>
      <CardHeading title={title} hint={hint} />
      <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
        <Field
          label={t('settings.workspace.newName')}
          error={create.error === null ? undefined : <ErrorText error={create.error} />}
          className="flex-1 basis-64"
        >
          <Input
            required
            maxLength={200}
            value={draft.value.name}
            onChange={(event) => draft.change({ name: event.currentTarget.value })}
          />
        </Field>
        <Button type="submit" busy={create.isPending}>
          {t('settings.workspace.newDo')}
        </Button>
      </form>
    </Card>
  )
}
