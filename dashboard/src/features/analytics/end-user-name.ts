import { t } from '#texts/t.ts'

/** How much of a random id tells visitors apart in a list. */
const shownCharacters = 6

/** An end user in a list. The ids that Parley gives to visitors mean nothing to a reader. */
export function endUserName(endUser: string | null): string {
  if (endUser === null) return t('analytics.anonymous')
  const id = /^visitor:(.+)$/.exec(endUser)?.[1]
  return id === undefined ? endUser : t('analytics.visitor', { id: id.slice(0, shownCharacters) })
}
