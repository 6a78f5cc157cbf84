import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { basePath } from '#api/base-path.ts'
import type { OutputOf } from '#api/call-operation.ts'
import { useMe } from '#api/me.ts'
import { refresh } from '#api/operation-keys.ts'
import { useOperation, useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { notifyError } from '#components/notify-error.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Progress } from '#ui/progress.tsx'
import { notify } from '#ui/toast.tsx'
import { StepRow } from './step-row.tsx'
import { firstNeeded, stepsOf } from './steps.ts'

/** /home */
export function HomePage() {
  const { user } = useMe()
  const workspace = useWorkspace()
  const steps = useOperation('get_first_steps', { workspace_id: workspace.id })
  useFreshSteps()
  const isShared = steps.data?.shared === true
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeading
        title={t('home.welcome', { name: user.name })}
        documentTitle={t('home.title')}
        hint={isShared ? t('home.allDone') : t('home.hint')}
        actions={<Button render={<Link to="/agents" />}>{t('home.toAgents')}</Button>}
      />
      {steps.error !== null && <ErrorState error={steps.error} onRetry={steps.refetch} />}
      {steps.error === null && steps.data === undefined && <LoadingRows rows={5} />}
      {steps.data !== undefined && <Steps facts={steps.data} />}
    </div>
  )
}

/** The page follows what was just done elsewhere, such as a chat that no operation reports. */
function useFreshSteps(): void {
  const client = useQueryClient()
  useEffect(() => void refresh(client, ['get_first_steps']), [client])
}

function Steps({ facts }: { readonly facts: OutputOf<'get_first_steps'> }) {
  const steps = stepsOf(facts)
  const needed = steps.filter(({ isOptional }) => isOptional !== true)
  const done = needed.filter(({ isDone }) => isDone).length
  const next = needed.find(({ isDone }) => !isDone) ?? steps[0]
  const all = needed.length
  const waitsFor = steps.findIndex(({ name }) => name === firstNeeded) + 1
  return (
    <>
      <section className="rounded-2xl border border-line bg-card">
        <div className="flex items-center gap-4 border-b border-line px-5 py-4 sm:px-6">
          <Progress label={t('home.title')} part={done / all} />
          <p className="shrink-0 text-sm text-soft">{t('home.progress', { done, all })}</p>
        </div>
        <ol aria-label={t('home.title')}>
          {steps.map((step, index) => (
            <StepRow
              key={step.name}
              step={step}
              number={index + 1}
              waitsFor={waitsFor}
              isNext={step === next}
            />
          ))}
        </ol>
      </section>
      <div className="mt-4 flex flex-wrap items-center justify-between gap-3">
        <a
          href={`${basePath}/docs/agents`}
          target="_blank"
          rel="noreferrer"
          className="text-sm text-accent underline underline-offset-2"
        >
          {t('home.docs')}
          <span className="sr-only"> {t('shell.newTab')}</span>
        </a>
        <HideButton isHidden={facts.hidden} />
      </div>
    </>
  )
}

function HideButton({ isHidden }: { readonly isHidden: boolean }) {
  const workspace = useWorkspace()
  const hide = useOperationMutation('hide_first_steps', {
    refreshes: ['get_first_steps'],
    onSuccess: ({ hidden }) => notify({ title: hidden ? t('home.hidden') : t('home.shown') }),
  })
  return (
    <Button
      look="quiet"
      size="small"
      busy={hide.isPending}
      onClick={() =>
        hide.mutate(
          { hidden: !isHidden, workspace_id: workspace.id },
          { onError: (error) => notifyError(error) },
        )
      }
    >
      {isHidden ? t('home.show') : t('home.hide')}
    </Button>
  )
}
