import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** A section of a page on its own background. */
export function Card({ className, ...rest }: ComponentProps<'section'>) {
  return (
    <section
      {...rest}
      className={classNames('rounded-2xl border border-line bg-card p-5 sm:p-6', className)}
    />
  )
}

export interface CardHeadingProps {
  readonly title: ReactNode
  readonly hint?: ReactNode
  /** Buttons at the end of the heading. */
  readonly actions?: ReactNode
}

export function CardHeading({ title, hint, actions }: CardHeadingProps) {
  return (
    <header className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
      <div className="min-w-0">
        <h2 className="text-base font-semibold">{title}</h2>
        {hint !== undefined && <p className="mt-0.5 max-w-prose text-sm text-soft">{hint}</p>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </header>
  )
}

type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad'

const tones: Readonly<Record<Tone, string>> = {
  neutral: 'bg-quiet text-soft',
  accent: 'bg-accent-ground text-accent',
  good: 'bg-good-ground text-good',
  warn: 'bg-warn-ground text-warn',
  bad: 'bg-bad-ground text-bad',
}

export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone
  readonly children: ReactNode
}) {
  return (
    <span
      className={classNames(
        'inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap',
        tones[tone],
      )}
    >
      {children}
    </span>
  )
}

/** Important information. Screen readers announce `bad` immediately. */
export function Notice({
  tone = 'neutral',
  title,
  children,
}: {
  readonly tone?: Tone
  readonly title?: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'note'}
      className={classNames('rounded-xl px-4 py-3 text-sm', tones[tone])}
    >
      {title !== undefined && <p className="font-medium">{title}</p>}
      {children}
    </div>
  )
}

/** A placeholder for content that is loading. The page announces loading once, not each bar. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <div aria-hidden className={classNames('animate-pulse rounded-lg bg-hover', className)} />
}
