import { isLimitName, type LimitName } from '#kernel/limits.ts'
import { pairs, variable } from './variable.ts'

const example = 'workspaces_per_person=5'

const limits = pairs((name, value): [LimitName, number | null] | null => {
  if (!isLimitName(name)) return null
  if (value === 'unlimited') return [name, null]
  return /^\d{1,15}$/.test(value) ? [name, Number(value)] : null
}, `${example} or products=unlimited`).transform(
  (entries): Readonly<Partial<Record<LimitName, number | null>>> => Object.fromEntries(entries),
)

/** What one tenant may take of what all share. */
export const limitVariables = {
  LIMITS: variable(
    limits,
    'Limits per person, workspace and agent where they differ from the defaults in [Limits](limits.md): `workspaces_per_person=5,products=unlimited`.',
    { fallback: '' },
  ),
} as const
