import { createRouter } from '@tanstack/react-router'
import { basePath } from '#api/base-path.ts'
import { NothingHere } from '#components/nothing-here.tsx'
import { PageProblem } from './problem-pages.tsx'
import { routeTree } from './routes.tsx'

let lastPath: string | null = null

/** A change of search parameters only, such as an opened dialog, keeps the scroll position. */
function scrollsFor({ location }: { readonly location: { readonly pathname: string } }): boolean {
  const isOtherPage = location.pathname !== lastPath
  lastPath = location.pathname
  return isOtherPage
}

export const router = createRouter({
  routeTree,
  basepath: basePath === '' ? '/' : basePath,
  // Without this, search parameters that `validateSearch` does not know would be kept.
  search: { strict: true },
  defaultPreload: 'intent',
  scrollRestoration: scrollsFor,
  defaultErrorComponent: PageProblem,
  defaultNotFoundComponent: NothingHere,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
