import { useOperation } from '#api/use-operation.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Notice } from '#ui/surfaces.tsx'

/** Shown while payments are in test mode. */
export function TestModeNotice() {
  const agent = useAgent()
  const settings = useOperation('get_commerce_settings', { app_id: agent.id })
  if (settings.data?.payments.test_mode !== true) return null
  return (
    <Notice tone="warn" title={t('publish.testMode')}>
      {t('publish.testModeHint')}
    </Notice>
  )
}
