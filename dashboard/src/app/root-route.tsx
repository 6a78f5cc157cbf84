import { createRootRoute, retainSearchParams } from '@tanstack/react-router'
import { meQuery } from '#api/me.ts'
import { keepDraftsOf } from '#components/use-draft.ts'
import { FrameSkeleton } from './frame-skeleton.tsx'
import { RootProblem } from './problem-pages.tsx'
import { queryClient } from './query-client.ts'
import { Shell } from './shell.tsx'

/** The workspace of the page, left out for the user's own. Every link keeps it. */
interface ShellSearch {
  readonly workspace?: string | undefined
}

function shellSearch(search: Record<string, unknown>): ShellSearch {
  return typeof search.workspace === 'string' ? { workspace: search.workspace } : {}
}

export const rootRoute = createRootRoute({
  component: Shell,
  errorComponent: RootProblem,
  pendingComponent: FrameSkeleton,
  pendingMs: 0,
  pendingMinMs: 0,
  validateSearch: shellSearch,
  search: { middlewares: [retainSearchParams(['workspace'])] },
  async loader() {
    const me = await queryClient.ensureQueryData(meQuery)
    keepDraftsOf(me.user.id)
  },
})
