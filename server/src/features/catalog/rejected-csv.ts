import { csvLineAsWritten } from '#kernel/csv-line.ts'
import { problemColumn, type RejectedLine } from './read-products-csv.ts'

/**
 * The lines as they were, with their problems: after corrections, the text can be imported. Cells
 * beyond the columns follow the problem, so that a line stays refused until someone corrects it.
 */
export function writeRejected(
  header: readonly string[],
  rejected: readonly RejectedLine[],
): string {
  const known = header.indexOf(problemColumn)
  const columns = header.filter((_, column) => column !== known)
  const lines = rejected.map(({ fields, problems }) => [
    ...columns.map(
      (_, column) => fields[known === -1 || column < known ? column : column + 1] ?? '',
    ),
    problems.join('; '),
    ...fields.slice(header.length),
  ])
  return [[...columns, problemColumn], ...lines].map(csvLineAsWritten).join('')
}
