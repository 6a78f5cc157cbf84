import type { Readable } from 'node:stream'
import type { ParseArgsOptionsConfig } from 'node:util'

/** What a command reads from and writes to: the process, or a test. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable
  readonly stdout: Output
  readonly stderr: Output
}

export interface Output {
  write(text: string): unknown
}

export interface Invocation {
  /** The arguments after the command's name that are not options. */
  readonly positionals: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
}

/** The value of an option; undefined if it was not given. */
export function textOption(options: Invocation['options'], name: string): string | undefined {
  const given = options[name]
  return typeof given === 'string' ? given : undefined
}

export interface Command {
  /** After `parley `. */
  readonly usage: string
  /** Whole sentences, below the usage line of `--help`. */
  readonly help: string
  /** The whole `--help` text if these positionals change it; otherwise null. */
  helpAfter?(positionals: readonly string[]): string | null
  readonly options: ParseArgsOptionsConfig
  /** More positionals than this are an error. */
  readonly maxPositionals: number
  /** Returns the exit code. */
  run(terminal: Terminal, invocation: Invocation): Promise<number>
}

/** A wrong command line: one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An expected failure. Each line says what is wrong and how to fix it; exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly lines: readonly string[]

  constructor(lines: string | readonly string[], options?: { cause?: unknown }) {
    super([lines].flat().join('; '), options)
    this.lines = [lines].flat()
  }
}
