import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Instance } from '#compose'
import { recordEvent } from '#features/audit/index.ts'
import { embedKnowledge } from '#features/embeddings/index.ts'
import { cliActor } from '#features/identity/index.ts'
import { addFileSource, ingestSource } from '#features/ingestion/index.ts'
import { getSource, type Source } from '#features/knowledge/index.ts'
import type { Actor } from '#kernel/actor.ts'
import { describeSourceError } from '#operations/knowledge/source-error-wording.ts'
import { createJobs } from '#platform/jobs/create-jobs.ts'
import { createJobRunner, type JobRunner } from '#platform/jobs/job-runner.ts'
import { CommandFailure, textOption, UsageError, type Command, type Terminal } from './command.ts'
import { enterAgent } from '#operations/agents/enter-agent.ts'
import { createProgressBar, type ProgressBar } from './progress-bar.ts'
import { explainRefusal } from './explain-failure.ts'
import { withInstance } from './with-instance.ts'

export const knowledge: Command = {
  usage: 'knowledge add FILE… --app APP [--as EMAIL]',
  help: `
Adds files to an agent's knowledge: text, Markdown, HTML, PDF, Word (.docx), Excel (.xlsx) and CSV.
The service may be running or stopped. The command ends when every file has been read. A file that
the agent already has is not read again.

  --app APP    The agent: its id or app_name_id
  --as EMAIL   Act as that user. Default: the owner

Prints one line of JSON for each file. The exit code is 1 if one of them could not be read.

  parley knowledge add guide.pdf prices.xlsx --app helpdesk-10001`,
  options: { app: { type: 'string' }, as: { type: 'string' } },
  maxPositionals: 1000,
  async run(terminal, { positionals: [verb, ...files], options }) {
    const appId = textOption(options, 'app')
    if (verb !== 'add' || files.length === 0 || appId === undefined)
      throw new UsageError(`usage is \`parley ${knowledge.usage}\``)
    const email = textOption(options, 'as')
    await requireFiles(files)
    return await withInstance(terminal, async (instance) => {
      const place = await enter(instance, appId, email).catch(explainRefusal)
      // Other jobs are left to the service.
      const jobRunner = createJobRunner(instance.ctx, createJobs(instance.ctx.clock), [
        ingestSource,
        embedKnowledge,
      ])
      const work = { terminal, instance, jobRunner, appId, ...place }
      try {
        return await addFiles(work, files)
      } finally {
        await jobRunner.stop()
      }
    })
  },
}

async function addFiles(work: Work, files: readonly string[]): Promise<number> {
  let code = 0
  for (const file of files) {
    const source = await addFile(work, file)
    work.terminal.stdout.write(`${JSON.stringify(shown(file, source))}\n`)
    if (source.status !== 'ready') code = 1
  }
  return code
}

/** Checked before the first file is stored, to avoid a partial upload. */
async function requireFiles(files: readonly string[]): Promise<void> {
  const missing: string[] = []
  for (const file of files) {
    const isFile = await stat(file).then(
      (found) => found.isFile(),
      () => false,
    )
    if (!isFile) missing.push(`${file} cannot be read`)
  }
  if (missing.length > 0) throw new CommandFailure(missing)
}

/** @throws Fault record_not_found, permission_denied */
async function enter({ ctx }: Instance, appId: string, email: string | undefined) {
  const actor = await cliActor(ctx, email)
  return { actor, workspaceId: await enterAgent(ctx, actor, appId, 'editor') }
}

interface Work {
  readonly terminal: Terminal
  readonly instance: Instance
  readonly jobRunner: JobRunner
  readonly actor: Actor
  readonly workspaceId: string
  readonly appId: string
}

async function addFile(work: Work, file: string): Promise<Source> {
  const { terminal, instance, actor, workspaceId, appId } = work
  const { ctx } = instance
  const { size } = await stat(file)
  const bar = createProgressBar(terminal.stderr, basename(file))
  try {
    const bytes = counted(file, (read) => bar.show('storing', read / size))
    const input = { appId, filename: basename(file), bytes }
    const source = await addFileSource(ctx, workspaceId, input).catch(explainRefusal)
    const event = { actor, workspaceId, action: 'add_knowledge_source', target: source.id }
    await ctx.db.write((tx) => recordEvent(tx, ctx.clock.now(), { ...event, outcome: 'done' }))
    return await untilRead(work, source, bar)
  } finally {
    bar.clear()
  }
}

async function* counted(file: string, report: (read: number) => void) {
  let read = 0
  try {
    for await (const piece of createReadStream(file)) {
      read += piece.length
      report(read)
      yield piece
    }
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read`, { cause: error })
  }
}

const pollMs = 200

/** Either a running service or this process runs the job. */
async function untilRead(
  { instance: { ctx }, jobRunner }: Work,
  source: Source,
  bar: ProgressBar,
): Promise<Source> {
  let running: Promise<unknown> | null = null
  for (;;) {
    const now = await getSource(ctx, source.workspaceId, source.id)
    if (now.status !== 'queued' && now.status !== 'processing') return now
    bar.show(now.stage ?? 'reading', now.progress / 100)
    // Repeated, because a failed job becomes due again later.
    running ??= jobRunner.runDue().finally(() => {
      running = null
    })
    await Promise.race([running, sleep(pollMs)])
    await sleep(pollMs / 4)
  }
}

function shown(file: string, source: Source) {
  const { id, status, chunkCount, error } = source
  const reason = error === null ? {} : { error: describeSourceError(error) }
  return { file, source_id: id, status, chunk_count: chunkCount, ...reason }
}
