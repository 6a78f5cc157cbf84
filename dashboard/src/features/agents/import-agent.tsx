import { useNavigate, useSearch } from '@tanstack/react-router'
import { Upload } from '#ui/icons.ts'
import { useState } from 'react'
import type { OutputOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { ErrorText } from '#components/error-text.tsx'
import { textOfFile } from '#components/text-of-file.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { ImportDrop } from './import-drop.tsx'
import { ImportNeeds } from './import-needs.tsx'

type Imported = OutputOf<'import_app'>

/** Creates an agent from an exported file. */
export function ImportAgent() {
  const navigate = useNavigate()
  const { import: isOpen } = useSearch({ from: '/agents' })
  const open = (next: boolean) =>
    void navigate({ to: '/agents', search: next ? { import: true } : {} })
  return (
    <>
      <Button onClick={() => open(true)}>
        <Upload aria-hidden />
        {t('agents.import')}
      </Button>
      {isOpen === true && <ImportDialog onClose={() => open(false)} />}
    </>
  )
}

function ImportDialog({ onClose }: { onClose(): void }) {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const [made, setMade] = useState<Imported | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const create = useOperationMutation('import_app', {
    refreshes: ['list_apps', 'get_app_folders'],
    onSuccess(imported) {
      // Shows what is left to set up. If nothing is left, it opens the agent.
      if (imported.needs.length > 0) return setMade(imported)
      notify({ title: t('agents.imported', { name: imported.name }) })
      const params = { appId: imported.app_name_id }
      void navigate({ to: '/agents/$appId/build', params })
    },
  })
  async function read(file: File): Promise<void> {
    const text = await textOfFile(file)
    const document = text === null ? null : parse(text)
    create.reset()
    if (text === null) setProblem(t('common.error.unreadable'))
    else setProblem(document === null ? t('agents.importNoJson') : null)
    if (document !== null) create.mutate({ document, workspace_id: workspace.id })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={made === null ? t('agents.importTitle') : t('agents.imported', { name: made.name })}
      description={made === null ? t('agents.importHint') : t('agents.importNext')}
      closeLabel={t('common.close')}
    >
      {made === null ? (
        <div className="flex flex-col gap-4">
          <ImportDrop isBusy={create.isPending} onFile={(file) => void read(file)} />
          {problem !== null && <Notice tone="bad">{problem}</Notice>}
          {create.error !== null && (
            <Notice tone="bad">
              <p className="break-words">
                <ErrorText error={create.error} />
              </p>
            </Notice>
          )}
        </div>
      ) : (
        <ImportNeeds imported={made} />
      )}
    </Dialog>
  )
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { ...value } : null
  } catch {
    // Not JSON: the caller shows the error.
    return null
  }
}
