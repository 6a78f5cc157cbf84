import type { Run } from '../suite/run.ts'
import type { BenchPostgres } from './postgres.ts'

export interface BenchEngine {
  readonly name: 'sqlite' | 'postgres'
  /** Null on SQLite. */
  readonly postgres: BenchPostgres | null
}

/** The engines that a run measures. */
export function enginesOf({ postgres, options }: Run): BenchEngine[] {
  const engines: BenchEngine[] = [{ name: 'sqlite', postgres: null }]
  if (postgres !== null) engines.push({ name: 'postgres', postgres })
  const { subjects } = options
  return engines.filter(({ name }) => subjects.length === 0 || subjects.includes(name))
}
