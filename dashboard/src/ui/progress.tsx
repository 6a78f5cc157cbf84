import { Progress as BaseProgress } from '@base-ui/react/progress'

export interface ProgressProps {
  /** Names the task for screen readers. */
  readonly label: string
  /** From 0 to 1; null while it is unknown. */
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
