interface Titled {
  readonly name: string
  readonly title: string
}

/**
 * The titles of operations for the dashboard's audit log: those that are not the name in words, as
 * `create_app` is *Create agent*.
 */
export function operationTitles(operations: readonly Titled[]): string {
  const lines = operations
    .filter(({ name, title }) => title.toLowerCase() !== name.replaceAll('_', ' '))
    .map(({ name, title }) => `  ['${name}', '${title.replaceAll("'", "\\'")}'],`)
  return `// Generated from the operations by tools/write-contracts.ts. Not edited by hand.

/** The titles of operations whose name in words would be another. */
export const operationTitles: ReadonlyMap<string, string> = new Map([
${lines.join('\n')}
])
`
}
