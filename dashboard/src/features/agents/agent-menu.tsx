import { useNavigate } from '@tanstack/react-router'
import { Copy, Download, Ellipsis, Folder, Pin, PinOff, Trash2 } from '#ui/icons.ts'
import { lazy, Suspense, useState } from 'react'
import { callOperation, type OutputOf } from '#api/call-operation.ts'
import { useOperation, useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { notifyError } from '#components/notify-error.ts'
import { saveFile } from '#components/save-file.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Menu, MenuItem, MenuLine } from '#ui/menu.tsx'
import { notify } from '#ui/toast.tsx'
import { DeleteAgentDialog } from './delete-agent-dialog.tsx'
import type { Agent } from './use-agent.ts'

/** Loaded on first use. */
const MoveDialog = lazy(async () => {
  const { MoveDialog: dialog } = await import('./move-dialog.tsx')
  return { default: dialog }
})

/** Actions on an agent as a whole. */
export function AgentMenu({ agent }: { readonly agent: Agent }) {
  const mayChange = useMay('editor')
  const navigate = useNavigate()
  const [isDeleting, setIsDeleting] = useState(false)
  const [isMoving, setIsMoving] = useState(false)
  const { id, name } = agent
  const duplicate = useOperationMutation('duplicate_app', {
    refreshes: ['list_apps', 'get_app_folders'],
    onSuccess(copy) {
      notifyNeeds(t('agents.duplicated', { name: copy.name }), copy.needs)
      void navigate({ to: '/agents/$appId/build', params: { appId: copy.app_name_id } })
    },
  })
  // No undo: the operation may need a confirmation, which the user can only give now.
  const remove = useOperationMutation('delete_app', {
    refreshes: ['list_apps', 'get_pinned_apps', 'get_app_folders'],
    onSuccess() {
      notify({ title: t('agents.deleted', { name }) })
      void navigate({ to: '/agents' })
    },
  })
  return (
    <>
      <Menu
        trigger={
          <Button look="quiet" size="icon" aria-label={t('agents.menu', { name })}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <PinItem agent={agent} />
        {mayChange && (
          <MenuItem onSelect={() => setIsMoving(true)}>
            <Folder aria-hidden />
            {t('agents.folders.move')}
          </MenuItem>
        )}
        {mayChange && (
          <MenuItem
            disabled={duplicate.isPending}
            onSelect={() => duplicate.mutate({ app_id: id }, { onError: notifyError })}
          >
            <Copy aria-hidden />
            {t('agents.duplicate')}
          </MenuItem>
        )}
        <MenuItem onSelect={() => void exportAgent(agent, false)}>
          <Download aria-hidden />
          {t('agents.export')}
        </MenuItem>
        <MenuItem onSelect={() => void exportAgent(agent, true)}>
          <Download aria-hidden />
          {t('agents.exportWithKnowledge')}
        </MenuItem>
        {mayChange && (
          <>
            <MenuLine />
            <MenuItem danger onSelect={() => setIsDeleting(true)}>
              <Trash2 aria-hidden />
              {t('agents.delete')}
            </MenuItem>
          </>
        )}
      </Menu>
      {isMoving && (
        <Suspense>
          <MoveDialog agentIds={[id]} from={agent.folder} open onOpenChange={setIsMoving} />
        </Suspense>
      )}
      <DeleteAgentDialog
        key={String(isDeleting)}
        name={name}
        open={isDeleting}
        onOpenChange={setIsDeleting}
        onDelete={() => remove.mutateAsync({ app_id: id })}
      />
    </>
  )
}

/** Puts the agent at the top of the sidebar, or removes it from there. */
function PinItem({ agent }: { readonly agent: Agent }) {
  const { id, workspace_id } = agent
  const pins = useOperation('get_pinned_apps', { workspace_id })
  const isPinned = pins.data?.items.some((one) => one.id === id) === true
  const pin = useOperationMutation('pin_app', { refreshes: ['get_pinned_apps'] })
  return (
    <MenuItem
      disabled={pin.isPending}
      // The closed menu is gone when an error arrives, so the mutation cannot report it.
      onSelect={() => void pin.mutateAsync({ app_id: id, pinned: !isPinned }).catch(notifyError)}
    >
      {isPinned ? <PinOff aria-hidden /> : <Pin aria-hidden />}
      {isPinned ? t('agents.unpin') : t('agents.pin')}
    </MenuItem>
  )
}

async function exportAgent(agent: Agent, withKnowledge: boolean): Promise<void> {
  try {
    const input = { app_id: agent.id, include_knowledge: withKnowledge }
    const { document } = await callOperation('export_app', input)
    saveFile(`${agent.app_name_id}.json`, JSON.stringify(document, null, 2), 'application/json')
  } catch (error) {
    notifyError(error)
  }
}

/** Reports that an agent was copied, and what still has to be set up because copies leave it out. */
function notifyNeeds(title: string, needs: OutputOf<'duplicate_app'>['needs']): void {
  if (needs.length === 0) return void notify({ title })
  const list = needs.map(({ kind, name }) => `${kind} ${name}`).join(', ')
  notify({ title, description: t('agents.needs', { list }), milliseconds: 20_000 })
}
