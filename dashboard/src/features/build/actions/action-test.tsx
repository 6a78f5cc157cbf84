import { CircleAlert, CircleCheck, FlaskConical } from '#ui/icons.ts'
import { useState, type FormEvent } from 'react'
import type { OutputOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { CodeBlock } from '#components/code-block.tsx'
import { ErrorText } from '#components/error-text.tsx'
import { formatDuration } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Card, CardHeading, Notice } from '#ui/surfaces.tsx'
import { draftOfAction, type Action, type ParameterDraft } from './action-draft.ts'
import { argumentsOf, requestOf } from './test-arguments.ts'

export interface ActionTestProps {
  readonly action: Action
  /** Whether the form has unsaved changes. */
  readonly isStale: boolean
}

/** Calls an action now, with values from a person instead of the model. */
export function ActionTest({ action, isStale }: ActionTestProps) {
  const wanted = draftOfAction(action).parameters.filter(({ source }) => source === 'ai')
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [problem, setProblem] = useState<string | null>(null)
  const test = useOperationMutation('test_custom_action', {
    refreshes: ['list_custom_actions'],
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    const given = argumentsOf(wanted, typed)
    setProblem(given === null ? t('build.actions.badJson') : null)
    if (given !== null) test.mutate({ action_id: action.id, arguments: given })
  }
  return (
    <Card>
      <CardHeading title={t('build.actions.test')} hint={t('build.actions.testHint')} />
      <form onSubmit={submit} className="flex flex-col gap-4" aria-label={t('build.actions.test')}>
        {wanted.length === 0 && (
          <p className="text-sm text-soft">{t('build.actions.testNothing')}</p>
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          {wanted.map((one) => (
            <Argument
              key={one.key}
              parameter={one}
              value={typed[one.key] ?? ''}
              onChange={(value) => setTyped({ ...typed, [one.key]: value })}
            />
          ))}
        </div>
        {isStale && <p className="text-[0.8125rem] text-warn">{t('build.actions.testUnsaved')}</p>}
        <Button type="submit" className="self-start" busy={test.isPending}>
          <FlaskConical aria-hidden />
          {t('build.actions.testDo')}
        </Button>
        <div aria-live="polite" className="flex flex-col gap-3 empty:hidden">
          {problem !== null && <Notice tone="bad">{problem}</Notice>}
          {test.error !== null && (
            <Notice tone="bad">
              <ErrorText error={test.error} />
            </Notice>
          )}
          {test.data !== undefined && !test.isPending && (
            <Outcome
              result={test.data}
              request={requestOf(action, test.variables.arguments ?? {})}
            />
          )}
        </div>
      </form>
    </Card>
  )
}

interface ArgumentProps {
  readonly parameter: ParameterDraft
  readonly value: string
  onChange(value: string): void
}

function Argument({ parameter, value, onChange }: ArgumentProps) {
  const { key, type, required, instructions } = parameter
  const label = <span className="font-mono">{key}</span>
  const hint = `${t(`build.actions.types.${type}`)}${instructions === '' ? '' : ` · ${instructions}`}`
  if (type === 'boolean')
    return (
      <Field label={label} hint={hint}>
        <Select
          choices={[
            { value: '', label: t('build.actions.unset') },
            { value: 'true', label: t('build.actions.yes') },
            { value: 'false', label: t('build.actions.no') },
          ]}
          value={value}
          onChange={onChange}
        />
      </Field>
    )
  return (
    <Field label={label} hint={hint}>
      <Input
        required={required}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  )
}

interface OutcomeProps {
  readonly result: OutputOf<'test_custom_action'>
  readonly request: string
}

function Outcome({ result, request }: OutcomeProps) {
  const { ok, http_status: status, duration_ms: duration, error, data } = result
  const facts = [status === null ? null : `HTTP ${status}`, formatDuration(duration)].filter(
    (one) => one !== null,
  )
  const Icon = ok ? CircleCheck : CircleAlert
  return (
    <>
      <Notice
        tone={ok ? 'good' : 'bad'}
        title={
          <span className="flex flex-wrap items-center gap-2">
            <Icon className="size-4 shrink-0" aria-hidden />
            {ok ? t('build.actions.testOk') : t('build.actions.testBad')}
            <span className="font-normal">{facts.join(' · ')}</span>
          </span>
        }
      >
        {error !== null && <p className="break-words">{error}</p>}
      </Notice>
      <CodeBlock code={request} label={t('build.actions.testRequest')} />
      {data !== null && data !== undefined && (
        <CodeBlock
          code={typeof data === 'string' ? data : JSON.stringify(data, null, 2)}
          label={t('build.actions.testAnswer')}
        />
      )}
    </>
  )
}
