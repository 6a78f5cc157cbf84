import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useRefreshMe } from '#api/me.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { ConfirmDialog } from '#components/confirm-dialog.tsx'
import { CopyButton } from '#components/copy-button.tsx'
import { ErrorText } from '#components/error-text.tsx'
import { PageHeading } from '#components/page-heading.tsx'
import { useDraft } from '#components/use-draft.ts'
import { useLeaveWarning } from '#components/use-leave-warning.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Card, CardHeading, Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { DeletedWorkspacesCard, DeleteWorkspaceCard } from './delete-workspace-card.tsx'
import { LimitsCard } from '../billing/limits-card.tsx'
import { NewWorkspaceCard } from './new-workspace-card.tsx'
import { SecondFactorCard } from '../members/second-factor-card.tsx'

/** /settings/workspace */
export function WorkspacePage() {
  const isOwner = useMay('owner')
  return (
    <>
      <PageHeading title={t('settings.workspace.title')} hint={t('settings.workspace.hint')} />
      <div className="flex flex-col gap-6">
        <NameCard />
        <FactsCard />
        {isOwner && <SecondFactorCard />}
        <LimitsCard />
        <NewWorkspaceCard
          title={t('settings.workspace.newTitle')}
          hint={t('settings.workspace.newHint')}
        />
        <LeaveCard />
        {isOwner && <DeleteWorkspaceCard />}
        <DeletedWorkspacesCard />
      </div>
    </>
  )
}

function NameCard() {
  const workspace = useWorkspace()
  const mayRename = useMay('admin')
  const refreshMe = useRefreshMe()
  const draft = useDraft(`workspace-${workspace.id}`, { name: workspace.name })
  const update = useOperationMutation('update_workspace', {
    refreshes: ['get_workspace', 'list_workspaces'],
    async onSuccess({ name }) {
      await refreshMe()
      draft.clear()
      notify({ title: t('settings.workspace.saved', { name }) })
    },
  })
  useLeaveWarning(draft.isChanged && !update.isPending)
  function submit(event: FormEvent): void {
    event.preventDefault()
    update.mutate({ name: draft.value.name, workspace_id: workspace.id })
  }
  return (
    <Card>
      <CardHeading
        title={t('settings.workspace.nameTitle')}
        hint={mayRename ? t('settings.workspace.nameHint') : t('settings.adminOnly')}
      />
      <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
        <Field
          label={t('settings.workspace.name')}
          error={
            update.error === null
              ? undefined
              : (update.error.issueOf('name') ?? <ErrorText error={update.error} />)
          }
          className="flex-1 basis-64"
        >
          <Input
            required
            maxLength={200}
            disabled={!mayRename}
            value={draft.value.name}
            onChange={(event) => draft.change({ name: event.currentTarget.value })}
          />
        </Field>
        {mayRename && (
          <Button look="primary" type="submit" busy={update.isPending} disabled={!draft.isChanged}>
            {t('common.save')}
          </Button>
        )}
      </form>
    </Card>
  )
}

function FactsCard() {
  const workspace = useWorkspace()
  return (
    <Card>
      <CardHeading title={t('settings.workspace.factsTitle')} />
      <dl className="divide-y divide-line text-sm">
        <Fact name={t('settings.workspace.plan')}>{t(`shell.plans.${workspace.plan}`)}</Fact>
        <Fact name={t('settings.workspace.role')}>{t(`shell.roles.${workspace.role}`)}</Fact>
        <Fact name={t('settings.workspace.id')} hint={t('settings.workspace.idHint')}>
          <span className="flex flex-wrap items-center justify-end gap-3">
            <span className="font-mono text-[0.8125rem] break-all">{workspace.id}</span>
            <CopyButton text={workspace.id} />
          </span>
        </Fact>
      </dl>
    </Card>
  )
}

interface FactProps {
  readonly name: string
  readonly hint?: string
  readonly children: ReactNode
}

function Fact({ name, hint, children }: FactProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 py-3 first:pt-0 last:pb-0">
      <dt>
        {name}
        {hint !== undefined && <span className="block text-[0.8125rem] text-soft">{hint}</span>}
      </dt>
      <dd className="font-medium">{children}</dd>
    </div>
  )
}

/** For everyone except the last owner, who must transfer the ownership first. */
function LeaveCard() {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const refreshMe = useRefreshMe()
  const [isAsking, setIsAsking] = useState(false)
  const { name } = workspace
  const leave = useOperationMutation('leave_workspace', {
    async onSuccess() {
      await navigate({ to: '/agents', search: { workspace: undefined } })
      await refreshMe()
      notify({ title: t('settings.workspace.left', { name }) })
    },
  })
  return (
    <Card className="flex flex-wrap items-center justify-between gap-4">
      <div className="min-w-0">
        <h2 className="text-base font-semibold">{t('settings.workspace.leaveTitle')}</h2>
        <p className="text-sm text-soft">{t('settings.workspace.leaveHint')}</p>
      </div>
      <Button onClick={() => setIsAsking(true)}>{t('settings.workspace.leaveDo')}</Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('settings.workspace.leaveConfirm', { name })}
        confirm={t('settings.workspace.leaveDo')}
        onConfirm={() => leave.mutateAsync({ workspace_id: workspace.id })}
      >
        <Notice tone="warn">{t('settings.workspace.leaveWarning')}</Notice>
      </ConfirmDialog>
    </Card>
  )
}
