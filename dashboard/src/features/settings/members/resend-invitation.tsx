import { useState } from 'react'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { notifyError } from '#components/notify-error.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { notify } from '#ui/toast.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { useLinkToGive, type LinkToGive } from './use-link-to-give.ts'

/** Mails an invitation again, or shows its new link if it is not mailed. The old link expires. */
export function ResendInvitation({
  invitation,
}: {
  readonly invitation: ItemOf<'list_invitations'>
}) {
  const workspace = useWorkspace()
  const [link, setLink] = useState<LinkToGive | null>(null)
  const linkToGive = useLinkToGive()
  const isLink = invitation.mail === 'none'
  const resend = useOperationMutation('resend_invitation', {
    refreshes: ['list_invitations'],
    async onSuccess({ link: url, ...issued }) {
      if (url === null) notify({ title: t('settings.members.resent') })
      else setLink(await linkToGive({ ...issued, link: url }))
    },
  })
  const send = () =>
    resend.mutate({ id: invitation.id, workspace_id: workspace.id }, { onError: notifyError })
  return (
    <>
      <Button size="small" busy={resend.isPending} onClick={send}>
        {t(isLink ? 'settings.members.renewLink' : 'settings.members.resend')}
      </Button>
      <LinkDialog link={link} onClose={() => setLink(null)} />
    </>
  )
}
