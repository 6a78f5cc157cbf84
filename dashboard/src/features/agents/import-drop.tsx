import { FileJson } from '#ui/icons.ts'
import { useRef, useState } from 'react'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'

export interface ImportDropProps {
  readonly isBusy: boolean
  onFile(file: File): void
}

/** Accepts one file, dropped or chosen. */
export function ImportDrop({ isBusy, onFile }: ImportDropProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  function take(files: FileList | null): void {
    const file = files?.[0]
    if (file !== undefined && !isBusy) onFile(file)
  }
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        take(event.dataTransfer.files)
      }}
      className={classNames(
        'flex flex-col items-center gap-3 rounded-2xl border-2 border-dashed px-5 py-8 text-center transition-colors',
        isOver ? 'border-accent bg-accent-ground' : 'border-line',
      )}
    >
      <div className="rounded-full bg-accent-ground p-3 text-accent">
        <FileJson className="size-6" aria-hidden />
      </div>
      <p className="text-sm font-medium" aria-live="polite">
        {isBusy ? t('agents.importBusy') : t('agents.importDrop')}
      </p>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        onChange={(event) => {
          take(event.currentTarget.files)
          // Lets the user choose the same file again.
          event.currentTarget.value = ''
        }}
      />
      <Button busy={isBusy} onClick={() => input.current?.click()}>
        {t('agents.importChoose')}
      </Button>
    </div>
  )
}
