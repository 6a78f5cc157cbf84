import { builtInProviders } from '#api/generated-providers.ts'

/** Whether a model is of the provider that is part of Parley. */
export function isInside(model: string): boolean {
  return builtInProviders.get(model.slice(0, model.indexOf('/')))?.isInside === true
}
