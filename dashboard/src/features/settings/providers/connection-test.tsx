import { CircleCheck, CircleX, PlugZap } from '#ui/icons.ts'
import type { OutputOf } from '#api/call-operation.ts'
import { ErrorNotice } from '#components/error-notice.tsx'
import { formatDuration } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'
import type { ConnectionTestState } from './use-connection-test.ts'

export interface ConnectionTestProps {
  readonly test: ConnectionTestState
  /** False until the form says which provider is meant. */
  readonly isReady: boolean
}

/** Tests the connection and shows what is wrong. */
export function ConnectionTest({ test, isReady }: ConnectionTestProps) {
  return (
    <div className="flex flex-col gap-4 rounded-xl border border-line p-4">
      <div className="flex flex-wrap items-end gap-3">
        <Field label={t('settings.providers.model')} className="flex-1 basis-48">
          <Input
            value={test.model}
            onChange={(event) => test.setModel(event.currentTarget.value)}
          />
        </Field>
        <Button busy={test.isRunning} disabled={!isReady} onClick={() => test.run()}>
          <PlugZap aria-hidden />
          {test.isRunning ? t('settings.providers.testing') : t('settings.providers.test')}
        </Button>
      </div>
      <p className="-mt-2 text-[0.8125rem] text-soft">{t('settings.providers.modelHint')}</p>
      <div aria-live="polite" className="empty:hidden">
        <ErrorNotice error={test.error} />
        {test.result !== undefined && <TestResult result={test.result} />}
        {test.hasFailed && (
          <p className="mt-2 text-sm text-soft">{t('settings.providers.notSaved')}</p>
        )}
      </div>
    </div>
  )
}

function TestResult({ result }: { readonly result: OutputOf<'test_provider'> }) {
  const { cause, message, models, latency_ms } = result
  if (cause !== null)
    return (
      <Notice
        tone="bad"
        title={
          <span className="flex items-center gap-2">
            <CircleX className="size-4 shrink-0" aria-hidden />
            {t(`settings.providers.causes.${cause}`)}
          </span>
        }
      >
        {message}
      </Notice>
    )
  return (
    <Notice
      tone="good"
      title={
        <span className="flex items-center gap-2">
          <CircleCheck className="size-4 shrink-0" aria-hidden />
          {t('settings.providers.ok')}
        </span>
      }
    >
      {models !== null && `${t('settings.providers.okModels', { count: models })} `}
      {t('settings.providers.okTook', { duration: formatDuration(latency_ms) })}
    </Notice>
  )
}
