import { useOperation } from '#api/use-operation.ts'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { useAgent } from '#features/agents/index.ts'
import { Differences } from './differences.tsx'

/** Loaded by `restore-dialog.tsx` when the dialog is opened. */
export function RestoredChanges({ version }: { readonly version: number }) {
  const agent = useAgent()
  const earlier = useOperation('get_app', { app_id: agent.id, version })
  if (earlier.error !== null)
    return <ErrorState error={earlier.error} onRetry={() => earlier.refetch()} />
  if (earlier.data === undefined) return <LoadingRows rows={3} />
  return <Differences before={agent} after={earlier.data} />
}
