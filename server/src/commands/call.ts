import { text } from 'node:stream/consumers'
import { ConfigError } from '#config'
import { cliActor } from '#features/identity/index.ts'
import { commonFaults, defineFaults, Fault, withFacts } from '#kernel/fault.ts'
import { findOperation, operations } from '#operations/catalogue.ts'
import { faultMessage } from '#operations/fault-wording.ts'
import { runOperation } from '#operations/run-operation.ts'
import { CommandFailure, type Command, type Terminal, textOption, UsageError } from './command.ts'
import { describeOperation } from './describe-operation.ts'
import { nearest } from './nearest.ts'
import { withInstance } from './with-instance.ts'

const callFaults = defineFaults({
  operation_not_found: withFacts<{ operation: string; did_you_mean: readonly string[] }>(
    'not_found',
  ),
  configuration_invalid: 'invalid',
  command_failed: 'unavailable',
})

export const call: Command = {
  usage: "call <operation> ['<json>'] [--as EMAIL]",
  help: `
Runs a management operation and prints its result as JSON. \`parley operations\` lists them, and
\`parley call <operation> --help\` shows the input of one. The service may be running; changes apply
from its next request on.

  '<json>'     The input; - reads it from standard input. Default: {}
  --as EMAIL   Act as that user. Default: the owner

A failure is printed on standard error as {"error":{"code","message",…}}; the exit code is 1.

  parley call create_app '{"name":"Helpdesk"}'`,
  helpAfter([name]) {
    const operation = name === undefined ? undefined : findOperation(name)
    if (operation === undefined) return null
    return `Usage: parley call ${operation.name} ['<json>'] [--as EMAIL]\n\n${describeOperation(operation)}\n`
  },
  options: { as: { type: 'string' } },
  maxPositionals: 2,
  async run(terminal, { positionals: [name, json], options }) {
    if (name === undefined)
      throw new UsageError(`name an operation: usage is \`parley ${call.usage}\``)
    try {
      const operation = requireOperation(name)
      const input = await readInput(terminal, json)
      const email = textOption(options, 'as')
      const result = await withInstance(terminal, async ({ ctx }) =>
        runOperation(ctx, await cliActor(ctx, email), operation, input),
      )
      terminal.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
      return 0
    } catch (error) {
      terminal.stderr.write(`${JSON.stringify({ error: describe(error) })}\n`)
      return 1
    }
  },
}

function requireOperation(name: string) {
  const operation = findOperation(name)
  if (operation !== undefined) return operation
  const names = operations.map((operation) => operation.name)
  throw new Fault(callFaults.operation_not_found, {
    operation: name,
    did_you_mean: [...nearest(name, names)],
  })
}

async function readInput({ stdin }: Terminal, json: string | undefined): Promise<unknown> {
  const source = json === '-' ? await text(stdin) : (json ?? '{}')
  try {
    return JSON.parse(source)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Fault(commonFaults.invalid_input, { issues: [`not JSON: ${reason}`] }, { cause })
  }
}

function describe(error: unknown): Record<string, unknown> {
  if (error instanceof Fault) return { ...error.facts, code: error.code, message: wordingOf(error) }
  if (error instanceof ConfigError)
    return fact(callFaults.configuration_invalid.code, error.problems.join('; '))
  if (error instanceof CommandFailure) {
    const code = error.cause instanceof Fault ? error.cause.code : callFaults.command_failed.code
    return fact(code, error.lines.join('; '))
  }
  const reason = error instanceof Error ? error.message : String(error)
  return fact('internal', `Something went wrong on our side: ${reason}`)
}

function fact(code: string, message: string) {
  return { code, message }
}

function wordingOf(fault: Fault): string {
  if (fault.code !== callFaults.operation_not_found.code) return faultMessage(fault)
  const { operation, did_you_mean: guesses } = fault.facts
  const hint =
    Array.isArray(guesses) && guesses.length > 0
      ? `Did you mean ${guesses.join(' or ')}?`
      : '`parley operations` lists them.'
  return `There is no operation ${String(operation)}. ${hint}`
}
