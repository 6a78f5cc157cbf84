import { basePath } from './base-path.ts'

/** The page that adds a second factor to the person's account and then leads back to this one. */
export function addFactorPath(): string {
  const back = new URLSearchParams({ return_to: location.pathname + location.search })
  return `${basePath}/account/second-factor?${back.toString()}`
}
