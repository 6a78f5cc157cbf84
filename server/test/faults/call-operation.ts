import { parley, type Environment } from '#test/support/parley-process.ts'

/**
 * Calls an operation as a person does at the command line: in a process of its own.
 *
 * @returns its answer, whose fields the callers know
 * @throws Error with what it said when it failed
 */
export async function callOperation(environment: Environment, operation: string, input: object) {
  const args = ['call', operation, '-']
  const { code, stdout, stderr } = await parley(args, environment, JSON.stringify(input))
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
