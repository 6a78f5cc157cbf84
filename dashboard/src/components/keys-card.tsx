import { KeyRound, Plus } from '#ui/icons.ts'
import { useState } from 'react'
import type { OperationList } from '#api/use-operation.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { KeyRow, type ShownKey } from './key-row.tsx'
import { EmptyState, ErrorState, LoadingRows } from './states.tsx'
import { VirtualList } from './virtual-list.tsx'

export interface KeysCardProps {
  readonly title: string
  readonly hint: string
  /** The verb on the button that makes one. */
  readonly create: string
  readonly empty: string
  readonly emptyHint: string
  readonly keys: OperationList<ShownKey>
  /** False for people who may only look. */
  readonly mayChange: boolean
  onCreate(): void
  onRevoke(id: string): Promise<unknown>
}

/** The keys of an agent for one of its surfaces. The dialog that makes one is `NewKeyDialog`. */
export function KeysCard(props: KeysCardProps) {
  const { title, hint, create, empty, emptyHint, keys, mayChange, onCreate, onRevoke } = props
  const [revoking, setRevoking] = useState<ShownKey | null>(null)
  const button = mayChange ? (
    <Button look="primary" onClick={onCreate}>
      <Plus aria-hidden />
      {create}
    </Button>
  ) : undefined
  const name = revoking?.name ?? ''
  return (
    <Card>
      <CardHeading title={title} hint={hint} actions={keys.items.length > 0 ? button : undefined} />
      {keys.isPending ? (
        <LoadingRows rows={2} />
      ) : keys.error !== null ? (
        <ErrorState error={keys.error} onRetry={keys.again} />
      ) : keys.items.length === 0 ? (
        <EmptyState icon={KeyRound} title={empty} hint={emptyHint} action={button} />
      ) : (
        <VirtualList
          label={title}
          items={keys.items}
          keyOf={(key) => key.id}
          rowPixels={84}
          onEnd={keys.hasMore && !keys.isLoadingMore ? keys.more : undefined}
        >
          {(key) => (
            <KeyRow apiKey={key} onRevoke={mayChange ? () => setRevoking(key) : undefined} />
          )}
        </VirtualList>
      )}
      <ConfirmDialog
        open={revoking !== null}
        onOpenChange={(open) => !open && setRevoking(null)}
        title={t('keys.revokeConfirm', { name })}
        confirm={t('keys.revoke')}
        onConfirm={async () => {
          if (revoking === null) return
          await onRevoke(revoking.id)
          notify({ title: t('keys.revoked', { name }) })
        }}
      >
        {t('keys.revokeWarning')}
      </ConfirmDialog>
    </Card>
  )
}
