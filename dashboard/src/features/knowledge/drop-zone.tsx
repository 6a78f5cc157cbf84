import { Upload } from '#ui/icons.ts'
import { useRef, useState, type DragEvent } from 'react'
import { useMe } from '#api/me.ts'
import { formatBytes } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'

/** The supported file types. For others, the service's error names the file type. */
const endings = '.pdf,.docx,.xlsx,.csv,.tsv,.html,.htm,.md,.markdown,.txt'

/** Accepts files that are dropped or chosen. */
export function DropZone({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  const { limits } = useMe()
  function drop(event: DragEvent): void {
    event.preventDefault()
    setIsOver(false)
    onFiles([...event.dataTransfer.files])
  }
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
      className={classNames(
        'flex flex-wrap items-center gap-x-4 gap-y-3 rounded-2xl border-2 border-dashed px-5 py-6 transition-colors',
        isOver ? 'border-accent bg-accent-ground' : 'border-line',
      )}
    >
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
