/** Joins class names and leaves out missing ones. */
export function classNames(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter((name) => name !== false && name !== null && name !== undefined).join(' ')
}
