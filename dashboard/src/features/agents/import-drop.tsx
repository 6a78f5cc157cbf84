import { FileJson } from '#ui/icons.ts'
import { useRef } from 'react'
import { useFileDrop } from '#components/use-file-drop.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'

export interface ImportDropProps {
  readonly isBusy: boolean
  onFile(file: File): void
}

/** Accepts one file, dropped or chosen. */
export function ImportDrop({ isBusy, onFile }: ImportDropProps) {
  const input = useRef<HTMLInputElement>(null)
  const take = ([file]: Iterable<File>) => {
    if (file !== undefined && !isBusy) onFile(file)
  }
  const drop = useFileDrop('flex flex-col items-center gap-3 py-8 text-center', take)
  return (
    <div {...drop}>
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
          take(event.currentTarget.files ?? [])
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
