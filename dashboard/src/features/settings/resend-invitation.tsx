import { useState } from 'react'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { notifyError } from '#components/notify-error.ts'
import { formatDateTime } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { notify } from '#ui/toast.tsx'
import { InvitationLink } from './invitation-link.tsx'

/** Mails an invitation again, or shows its new link if it is not mailed. The old link expires. */
export function ResendInvitation({
  invitation,
}: {
  readonly invitation: ItemOf<'list_invitations'>
}) {
  const workspace = useWorkspace()
  const [link, setLink] = useState<string | null>(null)
  const resend = useOperationMutation('resend_invitation', {
    refreshes: ['list_invitations'],
    onSuccess(issued) {
      if (issued.link === null) notify({ title: t('settings.members.resent') })
      else setLink(issued.link)
    },
  })
  const send = () =>
    resend.mutate({ id: invitation.id, workspace_id: workspace.id }, { onError: notifyError })
  return (
    <>
      <Button size="small" busy={resend.isPending} onClick={send}>
        {t('settings.members.resend')}
      </Button>
      <Dialog
        open={link !== null}
        onOpenChange={(open) => !open && setLink(null)}
        title={t('settings.members.linkTitle')}
        description={t('settings.members.linkHint', {
          when: formatDateTime(invitation.expires_at),
        })}
        closeLabel={t('common.close')}
      >
        {link !== null && <InvitationLink link={link} onDone={() => setLink(null)} />}
      </Dialog>
    </>
  )
}
