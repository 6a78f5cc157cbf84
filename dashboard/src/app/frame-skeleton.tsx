import { LoadingRows } from '#components/states.tsx'
import { Skeleton } from '#ui/surfaces.tsx'

/** The frame of every page while the dashboard asks who is here. index.html has the same as HTML. */
export function FrameSkeleton() {
  return (
    <div className="flex min-h-dvh flex-col lg:flex-row">
      <div className="h-14 border-b border-line lg:h-dvh lg:w-64 lg:border-r lg:border-b-0" />
      <div className="mx-auto w-full max-w-6xl flex-1 px-4 pt-6 sm:px-8 sm:pt-8">
        <Skeleton className="mb-6 h-8 w-48" />
        <LoadingRows rows={3} />
      </div>
    </div>
  )
}
