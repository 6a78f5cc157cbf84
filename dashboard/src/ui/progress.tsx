import { Progress as BaseProgress } from '@base-ui/react/progress'

export interface ProgressProps {
  /** What is being done, for screen readers. */
  readonly label: string
  /** 0 to 1; null where nobody knows yet. */
  readonly part: number | null
}

export function Progress({ label, part }: ProgressProps) {
  return (
    <BaseProgress.Root
      aria-label={label}
      value={part === null ? null : Math.round(part * 100)}
      className="w-full"
    >
      <BaseProgress.Track className="block h-1.5 overflow-hidden rounded-full bg-hover">
        <BaseProgress.Indicator className="block h-full rounded-full bg-accent transition-[width] data-indeterminate:w-1/3 data-indeterminate:animate-pulse" />
      </BaseProgress.Track>
    </BaseProgress.Root>
  )
}
