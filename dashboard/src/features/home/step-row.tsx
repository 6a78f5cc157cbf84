import { Link } from '@tanstack/react-router'
import { useMay } from '#api/workspace.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { Check } from '#ui/icons.ts'
import { Badge } from '#ui/surfaces.tsx'
import type { Step } from './steps.ts'

export interface StepRowProps {
  readonly step: Step
  readonly number: number
  /** The number of the step that comes before this one, where it has no link yet. */
  readonly waitsFor: number
  /** The one to do now: its button stands out. */
  readonly isNext: boolean
}

export function StepRow({ step, number, waitsFor, isNext }: StepRowProps) {
  const { name, isDone, link, role, isOptional } = step
  const isAllowed = useMay(role)
  const look = isNext && !isDone ? 'primary' : 'plain'
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 border-b border-line px-5 py-4 last:border-b-0 sm:flex-nowrap sm:px-6">
      <span
        className={classNames(
          'flex size-8 shrink-0 items-center justify-center self-start rounded-full text-sm font-semibold',
          isDone ? 'bg-good-ground text-good' : 'bg-quiet text-soft',
        )}
      >
        {isDone ? <Check className="size-4.5" aria-hidden /> : <span aria-hidden>{number}</span>}
      </span>
      <div className="min-w-0 flex-1 basis-56">
        <h2 className="flex flex-wrap items-center gap-x-2 font-medium">
          {t(`home.steps.${name}.title`)}
          {isDone && <span className="sr-only">{t('home.done')}</span>}
          {!isDone && isOptional === true && <Badge>{t('home.optional')}</Badge>}
        </h2>
        {!isDone && (
          <p className="mt-0.5 max-w-prose text-sm text-soft">
            {isAllowed || name === 'tried'
              ? t(`home.steps.${name}.hint`)
              : t(`home.steps.${name}.others`)}
          </p>
        )}
      </div>
      {link === null && !isDone && (
        <p className="ml-12 shrink-0 text-sm text-soft sm:ml-0">
          {t('home.after', { number: waitsFor })}
        </p>
      )}
      {link !== null && isAllowed && (
        <Button
          look={look}
          size={isDone ? 'small' : 'medium'}
          className="ml-12 sm:ml-0"
          render={<Link {...link} />}
        >
          {isDone ? t(`home.steps.${name}.again`) : t(`home.steps.${name}.action`)}
        </Button>
      )}
    </li>
  )
}
