import { useMe } from '#api/me.ts'
import { Paperclip } from '#ui/icons.ts'
import { formatBytes } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { FileButton } from '#ui/file-button.tsx'

/** For other kinds of files, the service's error names those that it reads. */
const accepted =
  'image/png,image/jpeg,image/gif,image/webp,.pdf,.docx,.xlsx,.csv,.tsv,.html,.htm,.md,.markdown,.txt'

/** Opens the browser's choice of files. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const { limits } = useMe()
  const size = formatBytes(limits.chat_file_bytes)
  return (
    <FileButton
      label={t('build.chat.attach.choose')}
      multiple
      accept={accepted}
      onFiles={onFiles}
      look="quiet"
      size="icon"
      className="size-10"
      aria-label={t('build.chat.attach.button')}
      title={t('build.chat.attach.hint', { count: limits.chat_files, size })}
    >
      <Paperclip aria-hidden />
    </FileButton>
  )
}
