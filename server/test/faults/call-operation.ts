import { parley, type Environment } from '#test/support/processes/parley-process.ts'

/**
 * Calls an operation from the command line, in a separate process.
 *
 * @returns the answer, whose fields the callers know
 * @throws Error with the output of a failed command
 */
export async function callOperation(environment: Environment, operation: string, input: object) {
  const args = ['call', operation, '-']
  const { code, stdout, stderr } = await parley(args, environment, JSON.stringify(input))
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
