import type { TestContext } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** How many attempts one test made; 1 if it does not say. */
    tries?: number
  }
}

/** Reports how many attempts a test made, for the table in `docs/security-tests.md`. */
export function tried({ task }: Pick<TestContext, 'task'>, count: number): void {
  task.meta.tries = count
}
