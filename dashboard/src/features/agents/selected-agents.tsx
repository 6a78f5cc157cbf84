import { useState } from 'react'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Folder } from '#ui/icons.ts'
import { MoveDialog } from './move-dialog.tsx'
import { maxSelected, type Selection } from './use-selection.ts'

export interface SelectedAgentsProps {
  readonly selection: Selection
  /** The open folder; '' for none. */
  readonly from: string
}

/** Selecting several agents, to move them to a folder. */
export function SelectedAgents({ selection, from }: SelectedAgentsProps) {
  const [isMoving, setIsMoving] = useState(false)
  const { ids } = selection
  if (ids === null)
    return (
      <div className="mb-4">
        <Button size="small" onClick={selection.begin}>
          {t('agents.folders.select')}
        </Button>
      </div>
    )
  return (
    <div
      role="group"
      aria-label={t('agents.folders.selection')}
      className="sticky top-14 z-10 mb-4 flex flex-wrap items-center gap-3 rounded-xl border border-line bg-raised px-4 py-2.5 lg:top-3"
    >
      <p role="status" className="flex-1 text-sm">
        {ids.size === maxSelected
          ? t('agents.folders.selectedMost', { count: ids.size })
          : t('agents.folders.selected', { count: ids.size })}
      </p>
      <Button size="small" onClick={selection.end}>
        {t('common.cancel')}
      </Button>
      <Button
        size="small"
        look="primary"
        disabled={ids.size === 0}
        onClick={() => setIsMoving(true)}
      >
        <Folder aria-hidden />
        {t('agents.folders.move')}
      </Button>
      <MoveDialog
        key={String(isMoving)}
        agentIds={[...ids]}
        from={from}
        open={isMoving}
        onOpenChange={setIsMoving}
        onMoved={selection.end}
      />
    </div>
  )
}
