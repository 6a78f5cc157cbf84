import { Upload } from '#ui/icons.ts'
import { useRef } from 'react'
import { useMe } from '#api/me.ts'
import { useFileDrop } from '#components/use-file-drop.ts'
import { formatBytes } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'

/** The supported file types. For others, the service's error names the file type. */
const endings = '.pdf,.docx,.xlsx,.csv,.tsv,.html,.htm,.md,.markdown,.txt'

/** Accepts files that are dropped or chosen. */
export function DropZone({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const { limits } = useMe()
  const drop = useFileDrop('flex flex-wrap items-center gap-x-4 gap-y-3 py-6', onFiles)
  return (
    <div {...drop}>
      <div className="rounded-full bg-accent-ground p-3 text-accent">
        <Upload className="size-5" aria-hidden />
      </div>
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium">{t('knowledge.add.dropTitle')}</p>
        <p className="text-sm text-soft">
          {t('knowledge.add.dropHint', { size: formatBytes(limits.file_bytes) })}
        </p>
      </div>
      <input
        ref={input}
        type="file"
        multiple
        accept={endings}
        aria-label={t('knowledge.add.choose')}
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])])
          // Lets the user choose the same file again after a failure.
          event.currentTarget.value = ''
        }}
      />
      <Button onClick={() => input.current?.click()}>{t('knowledge.add.choose')}</Button>
    </div>
  )
}
