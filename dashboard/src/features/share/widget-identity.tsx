import { useOperationMutation } from '#api/use-operation.ts'
import { ErrorNotice } from '#components/error-notice.tsx'
import { SecretOnce } from '#components/secret-once.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Notice } from '#ui/surfaces.tsx'
import type { ChatPage } from './chat-page-fields.tsx'

/** The secret with which the site's server signs who its visitors are. */
export function WidgetIdentity({ page }: { readonly page: ChatPage }) {
  const { app_id, has_identity_secret: hasSecret } = page
  const rotate = useOperationMutation('rotate_identity_secret', { refreshes: ['get_chat_page'] })
  return (
    <section className="mt-6 flex flex-col gap-3 border-t border-line pt-5">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="text-sm font-semibold">{t('widget.identity')}</h3>
          <p className="max-w-prose text-sm text-soft">{t('widget.identityHint')}</p>
          {hasSecret && (
            <p className="max-w-prose text-sm text-soft">
              {t('widget.secretSet')} {t('widget.replaceHint')}
            </p>
          )}
        </div>
        <Button busy={rotate.isPending} onClick={() => rotate.mutate({ app_id })}>
          {hasSecret ? t('widget.replaceSecret') : t('widget.newSecret')}
        </Button>
      </div>
      {rotate.data !== undefined && (
        <>
          <Notice tone="warn">{t('widget.secretOnce')}</Notice>
          <SecretOnce secret={rotate.data.secret} label={t('widget.secret')} />
          <p className="max-w-prose text-sm text-soft">{t('widget.moderationSecretHint')}</p>
          <SecretOnce secret={rotate.data.moderation_secret} label={t('widget.moderationSecret')} />
        </>
      )}
      <ErrorNotice error={rotate.error} />
    </section>
  )
}
