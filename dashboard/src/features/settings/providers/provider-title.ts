import { builtInProviders } from '#api/generated-providers.ts'

/** A provider as people call it; one that a workspace added is called by its own name. */
export function providerTitle(provider: string): string {
  return builtInProviders.get(provider)?.title ?? provider
}
