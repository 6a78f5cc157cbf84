import { File, Image, X } from '#ui/icons.ts'
import { formatBytes } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import type { Attachment } from './attachment.ts'

export interface AttachedFilesProps {
  readonly items: readonly Attachment[]
  /** Absent once the message is sent. */
  readonly onRemove?: (id: number) => void
}

/** The names of the files of a message. */
export function AttachedFiles({ items, onRemove }: AttachedFilesProps) {
  return (
    <ul aria-label={t('build.chat.attach.list')} className="flex flex-wrap gap-1.5">
      {items.map(({ id, name, type, size }) => {
        const Icon = type === 'image' ? Image : File
        return (
          <li
            key={id}
            className="flex max-w-full items-center gap-1.5 rounded-lg border border-line bg-quiet py-1 pr-1 pl-2 text-xs"
          >
            <Icon className="size-3.5 shrink-0 text-soft" aria-hidden />
            <span className="min-w-0 truncate">{name}</span>
            <span className="shrink-0 pr-1 text-soft">{formatBytes(size)}</span>
            {onRemove !== undefined && (
              <button
                type="button"
                aria-label={t('build.chat.attach.remove', { name })}
                onClick={() => onRemove(id)}
                className="rounded-md p-1 text-soft hover:bg-hover hover:text-ink"
              >
                <X className="size-3.5" aria-hidden />
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
