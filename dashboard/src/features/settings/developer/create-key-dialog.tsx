import { useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { NewKeyDialog, type NewKey } from '#components/new-key-dialog.tsx'
import { useDraft } from '#components/use-draft.ts'
import { t } from '#texts/t.ts'
import { everywhere, isComplete, pickedOf, ReachField, type ReachDraft } from './reach-field.tsx'
import { ScopeField, type Scope } from './scope-field.tsx'

export interface CreateKeyDialogProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
}

/** A new key has full access unless scopes are chosen. */
const everything: { readonly scopes: readonly Scope[]; readonly reach: ReachDraft } = {
  scopes: ['*'],
  reach: everywhere,
}

/** Creates a developer key: name, scopes, reach, expiration and addresses. */
export function CreateKeyDialog({ open, onOpenChange }: CreateKeyDialogProps) {
  const { id: workspace_id } = useWorkspace()
  const { value, change, clear } = useDraft('developer-key-scopes', everything)
  const { scopes, reach } = value
  const create = useOperationMutation('create_developer_key', {
    refreshes: ['list_developer_keys'],
  })
  async function make({ name, lifetime, limits }: NewKey): Promise<string> {
    const input = { name, scopes: [...scopes], expires_in: lifetime, workspace_id }
    const made = await create.mutateAsync({ ...input, ...limits, ...pickedOf(reach) })
    clear()
    return made.key
  }
  return (
    <NewKeyDialog
      open={open}
      onOpenChange={onOpenChange}
      create={t('settings.developer.create')}
      hint={t('settings.developer.createHint')}
      namePlaceholder={t('settings.developer.namePlaceholder')}
      draft="developer-key"
      fields={
        <>
          <ScopeField value={scopes} onChange={(next) => change({ scopes: next })} />
          <ReachField value={reach} onChange={(next) => change({ reach: next })} />
        </>
      }
      isReady={scopes.length > 0 && isComplete(reach)}
      onCreate={make}
    />
  )
}
