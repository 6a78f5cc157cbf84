import { X } from '#ui/icons.ts'
import { ErrorText } from '#components/error-text.tsx'
import { formatPercent } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Progress } from '#ui/progress.tsx'
import type { Upload } from './use-uploads.ts'

export interface UploadListProps {
  readonly uploads: readonly Upload[]
  onRemove(id: string): void
  onRetry(upload: Upload): void
}

/** Running uploads, and failed ones with the reason. */
export function UploadList({ uploads, onRemove, onRetry }: UploadListProps) {
  if (uploads.length === 0) return null
  return (
    <ul aria-label={t('knowledge.add.uploads')} className="mt-4 flex flex-col gap-3">
      {uploads.map((upload) => (
        <UploadRow
          key={upload.id}
          upload={upload}
          onRemove={() => onRemove(upload.id)}
          onRetry={() => onRetry(upload)}
        />
      ))}
    </ul>
  )
}

interface UploadRowProps {
  readonly upload: Upload
  onRemove(): void
  onRetry(): void
}

function UploadRow({ upload, onRemove, onRetry }: UploadRowProps) {
  const { name, part, error, again } = upload
  return (
    <li className="rounded-xl border border-line bg-card px-4 py-3 text-sm">
      <div className="flex items-center gap-3">
        <span className="min-w-0 flex-1 truncate font-medium" title={name}>
          {name}
        </span>
        {error === null && (
          <span className="text-soft">
            {part === null
              ? t('knowledge.add.waiting')
              : t('knowledge.add.sent', { percent: formatPercent(part) })}
          </span>
        )}
        {again !== null && (
          <Button size="small" onClick={onRetry} aria-label={`${t('common.retry')}: ${name}`}>
            {t('common.retry')}
          </Button>
        )}
        <Button
          size="small"
          look="quiet"
          onClick={onRemove}
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
          {typeof error === 'string' ? error : <ErrorText error={error} />}
        </p>
      )}
    </li>
  )
}
