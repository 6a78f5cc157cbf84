import { X } from 'lucide-react'
import { formatPercent } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Progress } from '#ui/progress.tsx'
import type { Upload } from './use-uploads.ts'

export interface UploadListProps {
  readonly uploads: readonly Upload[]
  onRemove(id: string): void
}

/** Files on their way, and those that did not arrive, with why. */
export function UploadList({ uploads, onRemove }: UploadListProps) {
  if (uploads.length === 0) return null
  return (
    <ul aria-label={t('knowledge.add.uploads')} className="mt-4 flex flex-col gap-3">
      {uploads.map(({ id, name, part, error }) => (
        <li key={id} className="rounded-xl border border-line bg-card px-4 py-3 text-sm">
          <div className="flex items-center gap-3">
            <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
            {error === null && (
              <span className="text-soft">
                {part === null
                  ? t('knowledge.add.waiting')
                  : t('knowledge.add.sent', { percent: formatPercent(part) })}
              </span>
            )}
            <Button
              size="small"
              look="quiet"
              onClick={() => onRemove(id)}
              aria-label={`${error === null ? t('knowledge.add.cancel') : t('knowledge.add.dismiss')}: ${name}`}
            >
              <X aria-hidden />
            </Button>
          </div>
          {error === null ? (
            <div className="mt-2">
              <Progress label={t('knowledge.add.sending', { name })} part={part ?? 0} />
            </div>
          ) : (
            <p role="alert" className="mt-1 text-bad">
              {error}
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}
