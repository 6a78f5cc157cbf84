import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { fileURLToPath } from 'node:url'
import type { Config } from '#config'
import { Fault, faultKinds } from '#kernel/fault.ts'
import {
  workerFaults,
  type BoundedWorker,
  type BoundedWorkers,
  type WorkerLimits,
  type WorkerLine,
} from './bounded-workers.ts'
import { readablePaths } from './readable-paths.ts'

const mainFile = join(import.meta.dirname, 'worker-main.ts')

/** As in worker-main.ts. */
const memoryExitCode = 79
const memoryPollMs = 100
const pageBytes = 4096

/** The largest line of an answer. UTF-16 code units. */
const maxLineLength = 16 * 1024 * 1024
const maxFrameBytes = 1024 * 1024

export function createBoundedWorkers({ dataDir }: Pick<Config, 'dataDir'>): BoundedWorkers {
  return { open: (module, limits) => new Worker(module, limits, dataDir) }
}

/** Between two tasks, a worker does not keep this process running. It ends with its input. */
function keepAlive(running: Running, isBusy: boolean): void {
  const { child } = running
  running.isBusy = isBusy
  const pipes = [child.stdin, child.stdout, child.stderr].filter((pipe) => pipe instanceof Socket)
  for (const handle of [child, ...pipes]) {
    if (isBusy) handle.ref()
    else handle.unref()
  }
}

function hasEnded({ child }: Running): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

type Ending = 'memory' | 'time' | 'aborted'

/** One process, from its start to its end. */
interface Running {
  readonly child: ChildProcess
  readonly stdin: Writable
  readonly lines: AsyncIterator<string>
  readonly exited: Promise<unknown>
  /** Whether it has a task. */
  isBusy: boolean
  /** Why this process ended it. */
  ending: Ending | null
  /** The end of its standard error. */
  complaint: string
}

class Worker implements BoundedWorker {
  private readonly module: URL
  private readonly limits: WorkerLimits
  private readonly dataDir: string
  private running: Running | null = null

  constructor(module: URL, limits: WorkerLimits, dataDir: string) {
    this.module = module
    this.limits = limits
    this.dataDir = dataDir
  }

  async *run(
    task: unknown,
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    signal: AbortSignal,
  ): AsyncGenerator {
    signal.throwIfAborted()
    const running = (this.running ??= this.start())
    keepAlive(running, true)
    const onAbort = () => end(running, 'aborted')
    signal.addEventListener('abort', onAbort, { once: true })
    const watch = watchMemory(running, this.limits.residentMegabytes)
    const feeding = feed(running, task, bytes)
    // Awaited after the answers: an error in sending usually ends the worker too.
    feeding.catch(() => running.child.kill('SIGKILL'))
    let isWhole = false
    try {
      yield* readAnswers(running, this.limits, signal, feeding)
      await feeding
      isWhole = true
    } catch (error) {
      // After a fault of the task, the process can run the next task.
      isWhole = error instanceof Fault && running.child.exitCode === null && !running.child.killed
      if (isWhole) await feeding.catch(() => undefined)
      throw error
    } finally {
      clearInterval(watch)
      signal.removeEventListener('abort', onAbort)
      keepAlive(running, false)
      if (!isWhole || hasEnded(running)) this.discard(running)
    }
  }

  /** A process that ends between two tasks, for example for lack of memory, is replaced. */
  private start(): Running {
    const running = start(this.module, this.limits, this.dataDir)
    // Not `close`, which comes only after the output was read.
    running.child.once('exit', () => {
      if (!running.isBusy) this.discard(running)
    })
    return running
  }

  close(): void {
    if (this.running !== null) this.discard(this.running)
  }

  /** Nobody reads the output between two tasks, so its pipe would stay open after the process has ended. */
  private discard(running: Running): void {
    if (this.running === running) this.running = null
    running.child.kill('SIGKILL')
    if (!running.isBusy) running.child.stdout?.destroy()
  }
}

function start(module: URL, limits: WorkerLimits, dataDir: string): Running {
  const { heapMegabytes, residentMegabytes } = limits
  const readable = [fileURLToPath(module), ...readablePaths(dataDir)]
  const args = [
    `--max-old-space-size=${heapMegabytes}`,
    // It may only read its code: no other file, no process, no network.
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    '--no-warnings',
    mainFile,
    module.href,
    String(residentMegabytes),
  ]
  // The environment is empty, because it contains secrets.
  const child = spawn(process.execPath, args, { env: {}, stdio: ['pipe', 'pipe', 'pipe'] })
  const { stdin, stdout, stderr } = child
  const running: Running = {
    child,
    stdin,
    lines: readLines(stdout),
    exited: once(child, 'close').catch((error: unknown) => error),
    isBusy: false,
    ending: null,
    complaint: '',
  }
  stderr.setEncoding('utf8').on('data', (text: string) => {
    running.complaint = (running.complaint + text).slice(-4000)
  })
  // The end of the answers reports a broken pipe.
  stdin.on('error', () => undefined)
  return running
}

function end(running: Running, ending: Ending): void {
  running.ending ??= ending
  running.child.kill('SIGKILL')
}

async function feed(
  { stdin }: Running,
  task: unknown,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  await sendFrame(stdin, Buffer.from(JSON.stringify(task)))
  for await (const piece of bytes) {
    if (stdin.destroyed) return
    for (let at = 0; at < piece.length; at += maxFrameBytes)
      await sendFrame(stdin, piece.subarray(at, at + maxFrameBytes))
  }
  await sendFrame(stdin, new Uint8Array())
}

async function sendFrame(stdin: Writable, bytes: Uint8Array): Promise<void> {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  stdin.write(length)
  if (stdin.write(bytes) || stdin.destroyed) return
  await new Promise<void>((resolve) => {
    const settle = () => {
      stdin.off('drain', settle).off('close', settle)
      resolve()
    }
    stdin.on('drain', settle).on('close', settle)
  })
}

/** The answers of one task, until its end. */
async function* readAnswers(
  running: Running,
  { silenceMs, totalMs }: WorkerLimits,
  signal: AbortSignal,
  feeding: Promise<void>,
): AsyncGenerator {
  let leftMs = totalMs
  for (;;) {
    const askedAt = performance.now()
    const late = setTimeout(() => end(running, 'time'), Math.min(silenceMs, leftMs))
    const { value, done } = await running.lines.next()
    clearTimeout(late)
    leftMs -= performance.now() - askedAt
    if (done) throw await whyEnded(running, signal, feeding)
    // Written by worker-main.ts, line by line.
    const line = JSON.parse(value) as WorkerLine
    if ('end' in line) return
    if ('fault' in line) throw faultOf(line.fault)
    if ('crash' in line) throw crashed(line.crash)
    yield line.answer
  }
}

async function whyEnded(
  running: Running,
  signal: AbortSignal,
  feeding: Promise<void>,
): Promise<unknown> {
  await running.exited
  const { ending, child, complaint } = running
  if (ending === 'aborted') return signal.reason
  if (ending === 'time') return new Fault(workerFaults.worker_out_of_time)
  const ranOut =
    child.exitCode === memoryExitCode || /out of memory|allocation failed/i.test(complaint)
  if (ending === 'memory' || ranOut) return new Fault(workerFaults.worker_out_of_memory)
  // It was ended because the bytes could not be read.
  const cause = await feeding.then(
    () => null,
    (error: unknown) => error,
  )
  return cause ?? crashed(complaint || `it ended with ${child.exitCode ?? child.signalCode}`)
}

function crashed(reason: string): Fault {
  return new Fault(workerFaults.worker_crashed, {}, { cause: new Error(reason) })
}

function faultOf({ code, kind, facts }: Extract<WorkerLine, { fault: object }>['fault']): Fault {
  const known = faultKinds.find((one) => one === kind) ?? 'internal'
  // Facts were checked by the type of Fault on the other side.
  return new Fault({ code, kind: known }, facts as Fault['facts'])
}

async function* readLines(output: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let open = ''
  for await (const piece of output) {
    // Only the new piece is searched: a line may be much longer.
    const [first = '', ...more] = decoder.write(piece).split('\n')
    open += first
    for (const next of more) {
      yield open
      open = next
    }
    if (open.length > maxLineLength) throw new Error('A line of a worker is too long.')
  }
}

/** V8 does not limit memory outside the heap, such as buffers. */
function watchMemory(running: Running, megabytes: number): NodeJS.Timeout {
  const file = `/proc/${running.child.pid}/statm`
  const look = async () => {
    const [, resident = '0'] = (await readFile(file, 'utf8')).split(' ')
    if (Number(resident) * pageBytes > megabytes * 1024 * 1024) end(running, 'memory')
  }
  // The file does not exist after the worker's end, or on other systems, where the worker checks itself.
  return setInterval(() => void look().catch(() => undefined), memoryPollMs)
}
