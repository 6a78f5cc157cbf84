import { KeyRound, Plus } from '#ui/icons.ts'
import { useState, type ReactNode } from 'react'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { KeyRow, type ShownKey } from './key-row.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { EmptyState, ListStates } from './states.tsx'
import { VirtualList } from './virtual-list.tsx'

const kinds = {
  chat: {
    texts: 'share.keys',
    list: 'list_chat_keys',
    create: 'create_chat_key',
    revoke: 'revoke_chat_key',
  },
  checkout: {
    texts: 'publish.keys',
    list: 'list_acp_keys',
    create: 'create_acp_key',
    revoke: 'revoke_acp_key',
  },
} as const

export interface AgentKeysProps {
  readonly kind: keyof typeof kinds
  readonly agentId: string
  /** Whether the form of a new key is open. */
  readonly isCreating: boolean
  onOpenForm(open: boolean): void
  /** What to do with a new key, shown below it. */
  readonly renderNext?: (key: string) => ReactNode
}

/** An agent's chat keys or checkout keys: the list, and the form of a new key. */
export function AgentKeys({ kind, agentId, isCreating, onOpenForm, renderNext }: AgentKeysProps) {
  const { texts, list, ...operations } = kinds[kind]
  const keys = useOperationList(list, { app_id: agentId, limit: 50 })
  const create = useOperationMutation(operations.create, { refreshes: [list] })
  const [revoking, setRevoking] = useState<ShownKey | null>(null)
  const button = (
    <Button look="primary" onClick={() => onOpenForm(true)}>
      <Plus aria-hidden />
      {t(`${texts}.create`)}
    </Button>
  )
  return (
    <Card>
      <CardHeading
        title={t(`${texts}.title`)}
        hint={t(`${texts}.hint`)}
        actions={keys.items.length > 0 ? button : undefined}
      />
      <ListStates
        list={keys}
        rows={2}
        isEmpty={keys.items.length === 0}
        empty={
          <EmptyState
            icon={KeyRound}
            title={t(`${texts}.empty`)}
            hint={t(`${texts}.emptyHint`)}
            action={button}
          />
        }
      >
        <VirtualList
          label={t(`${texts}.title`)}
          items={keys.items}
          keyOf={(key) => key.id}
          rowPixels={84}
          onEnd={keys.onEnd}
        >
          {(key) => <KeyRow apiKey={key} onRevoke={() => setRevoking(key)} />}
        </VirtualList>
      </ListStates>
      <RevokeDialog kind={kind} apiKey={revoking} onClose={() => setRevoking(null)} />
      <NewKeyDialog
        open={isCreating}
        onOpenChange={onOpenForm}
        create={t(`${texts}.create`)}
        hint={t(`${texts}.createHint`)}
        namePlaceholder={t(`${texts}.namePlaceholder`)}
        draft={`${kind}-key ${agentId}`}
        onCreate={async ({ name, lifetime, limits }) => {
          const input = { app_id: agentId, name, expires_in: lifetime, ...limits }
          return (await create.mutateAsync(input)).key
        }}
        {...(renderNext === undefined ? {} : { renderNext })}
      />
    </Card>
  )
}

interface RevokeDialogProps extends Pick<AgentKeysProps, 'kind'> {
  /** Null while the dialog is closed. */
  readonly apiKey: ShownKey | null
  onClose(): void
}

function RevokeDialog({ kind, apiKey, onClose }: RevokeDialogProps) {
  const { list, revoke: operation } = kinds[kind]
  const revoke = useOperationMutation(operation, { refreshes: [list] })
  const name = apiKey?.name ?? ''
  return (
    <ConfirmDialog
      open={apiKey !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t('keys.revokeConfirm', { name })}
      confirm={t('keys.revoke')}
      onConfirm={async () => {
        if (apiKey === null) return
        await revoke.mutateAsync({ id: apiKey.id })
        notify({ title: t('keys.revoked', { name }) })
      }}
    >
      {t('keys.revokeWarning')}
    </ConfirmDialog>
  )
}
