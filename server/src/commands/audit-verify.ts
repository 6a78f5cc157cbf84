import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { z } from 'zod'
import { sealEvents, verifyChains, type ChainHead, type VerifyStep } from '#features/audit/index.ts'
import {
  CommandFailure,
  textOption,
  UsageError,
  type Invocation,
  type Terminal,
} from './command.ts'
import { withInstance } from './with-instance.ts'

const notOfVerify = ['format', 'actor', 'action', 'target', 'outcome', 'from', 'to', 'as'] as const

/** A changed log has as many problems as entries. */
const maxPrinted = 100

/** @returns 0 if every chain is intact, 1 if not */
export async function verifyAudit(
  terminal: Terminal,
  options: Invocation['options'],
): Promise<number> {
  const wrong = notOfVerify.find((name) => options[name] !== undefined)
  const workspace = textOption(options, 'workspace') ?? null
  if (wrong !== undefined) throw new UsageError(`audit verify has no option --${wrong}`)
  if (workspace !== null && options.all === true)
    throw new UsageError('--all does not go with --workspace')
  const file = textOption(options, 'since')
  const known = file === undefined ? [] : await readHeadsOf(file)
  return await withInstance(terminal, async ({ ctx }) => {
    await sealEvents(ctx)
    let problems = 0
    for await (const step of verifyChains(ctx, workspace, known)) {
      if ('problem' in step) problems += 1
      if (!('problem' in step) || problems <= maxPrinted) terminal.stdout.write(`${lineOf(step)}\n`)
    }
    if (problems > maxPrinted)
      terminal.stdout.write(`… and ${problems - maxPrinted} more problems\n`)
    terminal.stdout.write(
      problems === 0 ? 'the audit log is intact\n' : 'the audit log was changed\n',
    )
    return problems === 0 ? 0 : 1
  })
}

function lineOf(step: VerifyStep): string {
  const chain = step.chain === 'instance' ? 'instance' : `workspace ${step.chain}`
  if ('problem' in step) return `${chain}: PROBLEM: ${step.problem}`
  if (step.isEnding) return `${chain}: not checked, because it is being deleted`
  const parts = [`${step.checked} ${step.checked === 1 ? 'entry' : 'entries'} checked`]
  // An empty chain has no newest entry.
  if (step.head !== null && step.head.seq > 0)
    parts.push(`newest ${step.head.seq} ${step.head.link}`)
  if (step.waiting > 0) parts.push(`${step.waiting} not sealed yet`)
  if (step.unsigned > 0) parts.push(`${step.unsigned} of an older version not sealed yet`)
  return `${chain}: ${parts.join(', ')}`
}

const headLine = z.object({
  head: z.object({ chain: z.string(), seq: z.int().min(0), link: z.string() }),
})

/** @throws CommandFailure if the file cannot be read or names no head */
async function readHeadsOf(file: string): Promise<ChainHead[]> {
  const heads: ChainHead[] = []
  try {
    for await (const line of createInterface({ input: createReadStream(file) }))
      if (line.startsWith('{"head":')) heads.push(headLine.parse(JSON.parse(line)).head)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'not an export'
    throw new CommandFailure(`${file} cannot be read (${reason})`, { cause: error })
  }
  if (heads.length > 0) return heads
  throw new CommandFailure(`${file} has no heads: export with --format jsonl`)
}
