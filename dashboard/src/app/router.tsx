import { createRouter } from '@tanstack/react-router'
import { basePath } from '#api/base-path.ts'
import { NothingHere } from '#components/nothing-here.tsx'
import { PageProblem } from './problem-pages.tsx'
import { routeTree } from './routes.tsx'

export const router = createRouter({
  routeTree,
  basepath: basePath === '' ? '/' : basePath,
  // Otherwise search parameters that `validateSearch` does not know would get through.
  search: { strict: true },
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: PageProblem,
  defaultNotFoundComponent: NothingHere,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
