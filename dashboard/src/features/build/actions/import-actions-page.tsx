import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import type { InputOf, OutputOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { ErrorText } from '#components/error-text.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Card, Notice } from '#ui/surfaces.tsx'
import { AddActionsFrame } from './add-actions-frame.tsx'
import { importKinds, type ImportKind } from '../build-search.ts'
import { ImportPreview } from './import-preview.tsx'
import { ImportResult } from './import-result.tsx'
import { ImportSource } from './import-source.tsx'

type Source = Pick<InputOf<'import_custom_actions'>, 'curl' | 'openapi' | 'url' | 'server_url'>

/** /agents/{appId}/build/actions/import */
export function ImportActionsPage() {
  return (
    <AddActionsFrame title={t('build.actions.importTitle')} hint={t('build.actions.importHint')}>
      <ImportForm />
    </AddActionsFrame>
  )
}

/** The source, then a preview, then the result. No draft, because curl commands contain secrets. */
function ImportForm() {
  const agent = useAgent()
  const navigate = useNavigate()
  const { from = 'curl' } = useSearch({ from: '/agents/$appId/build/actions/import' })
  const [text, setText] = useState('')
  const [server, setServer] = useState('')
  const [made, setMade] = useState<OutputOf<'import_custom_actions'> | null>(null)
  const preview = useOperationMutation('import_custom_actions')
  const make = useOperationMutation('import_custom_actions', {
    refreshes: ['list_custom_actions', 'list_app_variables'],
    onSuccess: setMade,
  })
  const source = sourceOf(from, text, server)
  function change(part: { readonly text?: string; readonly server?: string }): void {
    if (part.text !== undefined) setText(part.text)
    if (part.server !== undefined) setServer(part.server)
    preview.reset()
    make.reset()
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    preview.mutate({ app_id: agent.id, ...source, dry_run: true })
  }
  if (made !== null) return <ImportResult result={made} />
  return (
    <div className="flex flex-col gap-5">
      <Card>
        <form onSubmit={submit} className="flex flex-col gap-5">
          <ImportSource
            from={from}
            text={text}
            server={server}
            onFrom={(next) => {
              change({ text: '', server: '' })
              void navigate({
                to: '/agents/$appId/build/actions/import',
                params: { appId: agent.app_name_id },
                search: next === importKinds[0] ? {} : { from: next },
              })
            }}
            onChange={change}
          />
          {preview.error !== null && (
            <Notice tone="bad">
              <ErrorText error={preview.error} />
            </Notice>
          )}
          <Button
            type="submit"
            look={preview.data === undefined ? 'primary' : 'plain'}
            className="self-start"
            busy={preview.isPending}
            disabled={text.trim() === ''}
          >
            {t('build.actions.preview')}
          </Button>
        </form>
      </Card>
      {preview.data !== undefined && !preview.isPending && (
        <ImportPreview
          key={preview.submittedAt}
          result={preview.data}
          isMaking={make.isPending}
          error={make.error}
          onMake={(operations, confirm) =>
            make.mutate({
              app_id: agent.id,
              ...source,
              ...(from === 'curl' ? {} : { operations }),
              confirm: [...confirm],
              dry_run: false,
            })
          }
        />
      )}
    </div>
  )
}

function sourceOf(from: ImportKind, text: string, server: string): Source {
  const typed = text.trim()
  if (from === 'curl') return { curl: typed }
  const more = server.trim() === '' ? {} : { server_url: server.trim() }
  return from === 'url' ? { url: typed, ...more } : { openapi: typed, ...more }
}
