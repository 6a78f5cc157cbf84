import { beforeAll, type RunnerTask } from 'vitest'

const files = /\/test\/(?:attacks|security|tenancy)\//
const titles =
  /\b(?:races?|at once|(?:at|after) the same time|concurrent(?:ly)?|simultaneous(?:ly)?|attack)\b/i

/**
 * A race that is lost once in many runs, or an attack that succeeds once, is an error. So these tests are
 * not repeated, even where the others are.
 */
// oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures the pattern names: none
beforeAll(({}, file) => {
  neverRepeat(file.tasks, files.test(file.file.filepath))
})

function neverRepeat(tasks: readonly RunnerTask[], all: boolean): void {
  for (const task of tasks) {
    const isNever = all || titles.test(task.name)
    if (task.type === 'suite') neverRepeat(task.tasks, isNever)
    else if (isNever) task.retry = 0
  }
}
