import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { ConfirmDialog } from '#components/confirm-dialog.tsx'
import { notifyError } from '#components/notify-error.ts'
import { formatDate, formatRelative } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge, Card, CardHeading } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'

type Key = ItemOf<'list_keys_to_rotate'>

/** For owners: keys and secrets of chat pages that a former member knows. Hidden while there are none. */
export function KeysToRotateCard() {
  const workspace = useWorkspace()
  const list = useOperationList('list_keys_to_rotate', { workspace_id: workspace.id, limit: 50 })
  if (list.items.length === 0) return null
  return (
    <Card>
      <CardHeading title={t('people.rotation.title')} hint={t('people.rotation.hint')} />
      <ul aria-label={t('people.rotation.title')} className="divide-y divide-line">
        {list.items.map((key) => (
          <KeyRow key={key.id} item={key} />
        ))}
      </ul>
      {list.hasMore && (
        <Button look="quiet" busy={list.isLoadingMore} onClick={list.more}>
          {t('common.more')}
        </Button>
      )}
    </Card>
  )
}

/** Where each kind is replaced. */
const places = {
  chat: '/agents/$appId/share/api',
  acp: '/agents/$appId/publish/catalog/keys',
  identity: '/agents/$appId/share/visitors',
  link: '/agents/$appId/share/visitors',
} as const

function KeyRow({ item }: { readonly item: Key }) {
  const { name, created_by, reason, since } = item
  const isKey = item.kind === 'chat' || item.kind === 'acp'
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{name}</span>
          {item.last4 !== null && (
            <span className="font-mono text-sm text-soft">…{item.last4}</span>
          )}
          <Badge>{t(`people.rotation.kinds.${item.kind}`)}</Badge>
        </p>
        <p className="text-[0.8125rem] text-soft">
          {t(`people.rotation.reasons.${reason}`, {
            name: created_by.name,
            when: formatDate(since),
          })}
          {isKey && ` ${lastUse(item)}`}
        </p>
        <p className="text-sm">
          <Link
            to={places[item.kind]}
            params={{ appId: item.app_id }}
            className="text-accent underline"
          >
            {isKey
              ? t('people.rotation.replace', { agent: item.agent_name })
              : t('people.rotation.replaceSecret')}
          </Link>
        </p>
      </div>
      <KeepButton item={item} />
      {isKey && <RevokeButton item={item} />}
    </li>
  )
}

function lastUse({ last_used_at: usedAt }: Key): string {
  return usedAt === null
    ? t('people.rotation.unused')
    : t('people.rotation.used', { when: formatRelative(usedAt) })
}

function KeepButton({ item: { id, name, kind } }: { readonly item: Key }) {
  const workspace = useWorkspace()
  const operation = kind === 'chat' || kind === 'acp' ? 'keep_key' : 'keep_page_secret'
  const keep = useOperationMutation(operation, {
    refreshes: ['list_keys_to_rotate'],
    onSuccess: () => void notify({ title: t('people.rotation.kept', { name }) }),
  })
  return (
    <Button
      size="small"
      busy={keep.isPending}
      aria-label={t('people.rotation.keepLabel', { name })}
      onClick={() => keep.mutate({ id, workspace_id: workspace.id }, { onError: notifyError })}
    >
      {t('people.rotation.keep')}
    </Button>
  )
}

function RevokeButton({ item }: { readonly item: Key }) {
  const workspace = useWorkspace()
  const [isAsking, setIsAsking] = useState(false)
  const { id, name } = item
  const input = { id, workspace_id: workspace.id }
  const onSuccess = () => void notify({ title: t('people.rotation.revoked', { name }) })
  const revokeChat = useOperationMutation('revoke_chat_key', {
    refreshes: ['list_keys_to_rotate', 'list_chat_keys'],
    onSuccess,
  })
  const revokeAcp = useOperationMutation('revoke_acp_key', {
    refreshes: ['list_keys_to_rotate', 'list_acp_keys'],
    onSuccess,
  })
  const revoke = item.kind === 'chat' ? revokeChat : revokeAcp
  return (
    <>
      <Button
        size="small"
        aria-label={t('keys.revokeLabel', { name })}
        onClick={() => setIsAsking(true)}
      >
        {t('keys.revoke')}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('people.rotation.revokeConfirm', { name })}
        confirm={t('keys.revoke')}
        onConfirm={() => revoke.mutateAsync(input)}
      >
        {t('people.rotation.revokeWarning')}
      </ConfirmDialog>
    </>
  )
}
