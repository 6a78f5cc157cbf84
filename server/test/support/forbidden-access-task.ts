import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { TaskRunner } from '#platform/bounded-workers/bounded-workers.ts'

/** Attempts everything that a bounded worker must be unable to do. */
export const runTask: TaskRunner = () => [
  {
    environment: Object.keys(process.env),
    file: refusal(() => readFileSync('/etc/hostname')),
    program: refusal(() => execFileSync('true')),
  },
]

function refusal(attempt: () => unknown): unknown {
  try {
    attempt()
    return null
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : String(error)
  }
}
