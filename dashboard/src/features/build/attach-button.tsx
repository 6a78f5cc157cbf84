import { useRef } from 'react'
import { useMe } from '#api/me.ts'
import { Paperclip } from '#ui/icons.ts'
import { formatBytes } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'

/** For other kinds of files, the service's error names those that it reads. */
const accepted =
  'image/png,image/jpeg,image/gif,image/webp,.pdf,.docx,.xlsx,.csv,.tsv,.html,.htm,.md,.markdown,.txt'

/** Opens the browser's choice of files. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const { limits } = useMe()
  const size = formatBytes(limits.chat_file_bytes)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        accept={accepted}
        aria-label={t('build.chat.attach.choose')}
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])])
          // Lets the user choose the same file again.
          event.currentTarget.value = ''
        }}
      />
      <Button
        look="quiet"
        size="icon"
        className="size-10"
        aria-label={t('build.chat.attach.button')}
        title={t('build.chat.attach.hint', { count: limits.chat_files, size })}
        onClick={() => input.current?.click()}
      >
        <Paperclip aria-hidden />
      </Button>
    </>
  )
}
