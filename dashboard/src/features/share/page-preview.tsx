import { useState } from 'react'
import { useMe } from '#api/me.ts'
import { useOperation } from '#api/use-operation.ts'
import { ErrorNotice } from '#components/error-notice.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import type { ChatPage } from './chat-page-fields.tsx'
import { previewAddress } from './preview-address.ts'
import { sandbox, usePreviewFrame } from './use-preview-frame.ts'

/** The page as visitors see it, and its address as a QR code. */
export function PagePreview({ page }: { readonly page: ChatPage }) {
  const [shown, setShown] = useState<'preview' | 'code' | null>(null)
  const toggle = (what: 'preview' | 'code') => setShown(shown === what ? null : what)
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-3">
        <Button aria-expanded={shown === 'preview'} onClick={() => toggle('preview')}>
          {t('chatPage.preview')}
        </Button>
        <Button aria-expanded={shown === 'code'} onClick={() => toggle('code')}>
          {t('chatPage.code')}
        </Button>
      </div>
      {shown === 'preview' && <Preview page={page} />}
      {shown === 'code' && <Code appId={page.app_id} />}
    </div>
  )
}

function Preview({ page }: { readonly page: ChatPage }) {
  const { base_url: baseUrl } = useMe()
  const { app_name_id: name } = useAgent()
  const address = previewAddress(page, name, baseUrl ?? location.origin)
  const frame = usePreviewFrame()
  return (
    <>
      <iframe
        // Loads again when the saved page changes.
        key={JSON.stringify(page)}
        ref={frame}
        src={address}
        title={t('chatPage.preview')}
        sandbox={sandbox}
        className="h-144 w-full max-w-96 rounded-xl border border-line"
      />
      <p className="text-sm text-soft">
        {t('chatPage.previewHint')}
        {page.access === 'openid' && ` ${t('chatPage.previewOpenId')}`}
      </p>
    </>
  )
}

function Code({ appId }: { readonly appId: string }) {
  const { data, error } = useOperation('get_chat_page_code', { app_id: appId })
  if (error !== null) return <ErrorNotice error={error} />
  if (data === undefined) return null
  const source = `data:image/svg+xml,${encodeURIComponent(data.svg)}`
  return (
    <div className="flex flex-col items-start gap-2">
      <img
        src={source}
        alt={t('chatPage.codeAlt', { url: data.url })}
        className="size-48 rounded-lg"
      />
      <a
        href={source}
        download="chat-page.svg"
        className="text-sm text-accent underline underline-offset-2"
      >
        {t('chatPage.download')}
      </a>
    </div>
  )
}
