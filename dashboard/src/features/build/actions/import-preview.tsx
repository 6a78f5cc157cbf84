import { useState } from 'react'
import type { OutputOf } from '#api/call-operation.ts'
import type { OperationError } from '#api/operation-error.ts'
import { ErrorText } from '#components/error-text.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { Card, CardHeading, Notice } from '#ui/surfaces.tsx'

type Result = OutputOf<'import_custom_actions'>

export interface ImportPreviewProps {
  readonly result: Result
  readonly isMaking: boolean
  readonly error: OperationError | null
  /**
   * @param operations the selected ones
   * @param confirm those of them that ask the user first
   */
  onMake(operations: readonly string[], confirm: readonly string[]): void
}

/** The actions that an import would create, to choose from. */
export function ImportPreview({ result, isMaking, error, onMake }: ImportPreviewProps) {
  const all = result.actions.map(({ operation }) => operation)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(all))
  const [asking, setAsking] = useState<ReadonlySet<string>>(
    new Set(result.actions.filter((one) => one.requires_confirmation).map((one) => one.operation)),
  )
  const isWhole = chosen.size === all.length
  function toggle(operation: string, isChosen: boolean): void {
    setChosen(new Set(all.filter((one) => (one === operation ? isChosen : chosen.has(one)))))
  }
  function ask(operation: string, isAsking: boolean): void {
    setAsking(new Set(all.filter((one) => (one === operation ? isAsking : asking.has(one)))))
  }
  return (
    <Card>
      <CardHeading
        title={t('build.actions.previewTitle', { count: result.actions.length })}
        actions={
          all.length > 1 && (
            <Button size="small" onClick={() => setChosen(new Set(isWhole ? [] : all))}>
              {isWhole ? t('build.actions.none') : t('build.actions.all')}
            </Button>
          )
        }
      />
      <ul className="flex flex-col gap-3">
        {result.actions.map((action) => (
          <li key={action.operation}>
            <Checkbox
              checked={chosen.has(action.operation)}
              disabled={all.length === 1}
              onChange={(isChosen) => toggle(action.operation, isChosen)}
              label={<span className="font-medium">{action.title || action.name}</span>}
              hint={
                <>
                  <span className="block break-words">{action.description}</span>
                  <span className="block font-mono break-all">
                    {`${action.method} ${action.url}`}
                  </span>
                </>
              }
            />
            <div className="mt-1.5 ml-7">
              <Checkbox
                checked={asking.has(action.operation)}
                disabled={!chosen.has(action.operation)}
                onChange={(isAsking) => ask(action.operation, isAsking)}
                label={
                  <>
                    {t('build.actions.askFirst')}
                    <span className="sr-only">{`: ${action.title || action.name}`}</span>
                  </>
                }
              />
            </div>
          </li>
        ))}
      </ul>
      <LeftOut skipped={result.skipped} />
      <div className="mt-5 flex flex-col gap-3">
        {error !== null && (
          <Notice tone="bad">
            <ErrorText error={error} />
          </Notice>
        )}
        <Button
          look="primary"
          className="self-start"
          busy={isMaking}
          disabled={chosen.size === 0}
          onClick={() => onMake([...chosen], [...asking.intersection(chosen)])}
        >
          {t('build.actions.make', { count: chosen.size })}
        </Button>
      </div>
    </Card>
  )
}

function LeftOut({ skipped }: Pick<Result, 'skipped'>) {
  if (skipped.length === 0) return null
  return (
    <details className="mt-4 text-sm">
      <summary className="w-fit cursor-pointer rounded text-soft hover:text-ink">
        {t('build.actions.skipped', { count: skipped.length })}
      </summary>
      <ul className="mt-2 flex flex-col gap-1.5 text-[0.8125rem]">
        {skipped.map(({ operation, reason }) => (
          <li key={operation} className="break-words">
            <span className="font-mono">{operation}</span>
            <span className="text-soft">{` – ${reason}`}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
